"""What is remembered of the tasks before."""

from hicrisp_nodes.supervisor.queue import EXCHANGES, Dialogue


def test_a_dialogue_tells_what_was_asked_done_and_answered_oldest_first():
    dialogue = Dialogue().after("take the box", ["pick up box"], "I have it.").after("thanks", [],
                                                                                     "You are welcome.")
    assert dialogue.history == (
        "User: take the box", "Robot did: pick up box", "Robot: I have it.",
        "User: thanks", "Robot did: nothing", "Robot: You are welcome.")


def test_a_dialogue_forgets_what_is_long_ago_and_cuts_what_is_long():
    dialogue = Dialogue()
    for number in range(EXCHANGES + 3):
        dialogue = dialogue.after(f"task {number} " + "x" * 2000, ["step"] * 500, "done")
    assert len(dialogue.exchanges) == EXCHANGES
    assert dialogue.history[0].startswith("User: task 3 ")
    assert max(map(len, dialogue.history)) < 420
