"""The interpreter over a small model that was trained to write goals in the user's own noun phrases.

It gets the names in the scene and the conversation, and answers one line of the written goal language; code links
the phrases to objects and evaluates counts, exceptions, orders and comparisons. A phrase that no object fits may stand
for one of which a word is misspelt ("nife"), if the user says yes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import List, Sequence

from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.wording import goal_words
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.llm.exchange import LlmFailure, Message
from hicrisp_core.model import WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.meaning import Choice, Meaning, Question, Reason, Refusal, Speaker, Turn
from hicrisp_core.model.misfit import Misfit
from hicrisp_core.parsing.names import respelled, words_by_name, words_of
from hicrisp_core.ports.interpreter import Request, Understood
from hicrisp_core.prompting.asking import cost_of
from hicrisp_core.prompting.quarantine import plain
from hicrisp_core.scene.colours import COLOURS
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.controlled.interpreter import context_of, shortcut
from hicrisp_core.understanding.verifier import verify
from hicrisp_core.understanding.written import Line, Phrase, meaning_of, parse_line
from hicrisp_core.understanding.written.sayings import each_in

SYSTEM = "Write what the user means as one line of the goal language."
_MOST_NAMES = 40
"""Names of a scene that the prompt lists; of more, those that the conversation has a word of."""
_LONGEST_TURN = 400
_STEM = 4
"""Letters by which a word of the conversation and one of a name are alike."""
_YES, _NO = "yes", "no"
_AGAIN = "Please say it in other words."


class EmbeddedInterpreter:
    """Reads what is whole controlled English by itself, and asks the model for all else.

    Args:
        ask_below: a goal that the model finds less likely than this is said back to the user as a question.
    """

    def __init__(self, client: ChatModel, domain: Domain, ask_below: float) -> None:
        self._client = client
        self._domain = domain
        self._ask_below = ask_below

    def understand(self, request: Request, deadline: Deadline) -> Understood:
        """Return what the request means; a goal that is in doubt as a question whether it is right."""
        if request.text.strip().lower() == _NO and request.conversation[-1:] \
                and request.conversation[-1].speaker is Speaker.ROBOT:
            return Understood(Question(_AGAIN))
        known = shortcut(request, self._domain)
        if known is not None:
            return Understood(known, sure=1.0)
        said = self._client.complete(messages(request), deadline)
        usage = cost_of(said)
        if isinstance(said, LlmFailure):
            return Understood(trouble=f"The language model gave no answer: {said.message}.", usage=usage)
        line = parse_line(said.text.strip())
        if isinstance(line, Misfit):
            return Understood(Question(f"I did not understand that. {_AGAIN}"), usage=usage, sure=said.sure)
        meaning = self._meaning(line, request)
        # A colour that is in no phrase of the line may contradict an object: "the box, the green one I mean".
        lost = sorted(set(words_of(request.text)) & set(COLOURS) - set(words_of(said.text)))
        if isinstance(meaning, Goal) and (lost or said.sure is not None and said.sure < self._ask_below) \
                and verify(meaning, self._domain, request.world) is None:
            meaning = shown(meaning, self._domain, f"I leave out '{lost[0]}'." if lost else "")
        return Understood(meaning, usage=usage, sure=said.sure)

    def _meaning(self, line: Line, request: Request) -> Meaning:
        """What a line means; if an object of it is not there but misspelt, that reading is shown to the user."""
        context = context_of(request)
        meaning = meaning_of(line, self._domain, request.world, context)
        if isinstance(meaning, Refusal) and meaning.reason is Reason.UNKNOWN_OBJECT:
            other = meaning_of(_respelled(line, request.world), self._domain, request.world, context)
            if isinstance(other, Goal) and verify(other, self._domain, request.world) is None:
                why = f"{meaning.text.partition('. ')[0]}."
                return shown(replace(other, source=self._client.name), self._domain, why)
        return replace(meaning, source=self._client.name) if isinstance(meaning, Goal) else meaning


def _respelled(line: Line, world: WorldState) -> Line:
    """The line with the world's own words in place of those in its phrases that are nearly one of them."""
    known = {word for words in words_by_name(world).values() for word in words}
    for phrase in dict.fromkeys(each_in(Phrase, line)):
        words = respelled(phrase.words.split(), known)
        other = parse_line(str(line).replace(str(phrase), str(replace(phrase, words=" ".join(words)))))
        line = line if isinstance(other, Misfit) else other
    return line


def shown(goal: Goal, domain: Domain, why: str = "") -> Question:
    """Return the question whether a goal is the right one, and why it is asked."""
    text = f"I understand: {goal_words(goal, domain)}. Is that right?"
    return Question(f"{why} {text}".strip(), (Choice(_YES, goal), Choice(_NO)))


def messages(request: Request) -> List[Message]:
    """Return what the model is asked: the same at run time and in training."""
    turns = (*request.conversation, Turn(Speaker.USER, request.text))
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt_text(
        names_shown(request.world, turns), turns)}]


def prompt_text(names: Sequence[str], turns: Sequence[Turn]) -> str:
    """Return the user's message: the names in the scene, and the turns."""
    said = "\n".join(f"{turn.speaker.value}: {plain(turn.text, _LONGEST_TURN)}" for turn in turns)
    return f"here: {', '.join(names)}\n{said}"


def names_shown(world: WorldState, turns: Sequence[Turn]) -> List[str]:
    """Return the names that the prompt lists, as they are spoken."""
    names = [each.replace("_", " ") for each in sorted((*world.objects, *world.robots))]
    if len(names) <= _MOST_NAMES:
        return [plain(each, 60) for each in names]
    said = tuple({word for turn in turns for word in turn.text.lower().split()})
    return [plain(each, 60) for each in names
            if any(other.startswith(word[:_STEM]) for word in each.split() for other in said)][:_MOST_NAMES]
