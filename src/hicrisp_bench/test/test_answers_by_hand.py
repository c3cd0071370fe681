"""What a capable model answered by hand to 160 fresh sentences, read and judged as in a run."""

import json
from collections import Counter
from pathlib import Path

from hicrisp_bench.language.judging import Judge, Mark
from hicrisp_bench.language.sentences import Setting, read_sentences
from hicrisp_core.config.files import config_file
from hicrisp_core.domain import load_domain
from hicrisp_core.llm.chat_model import ChatModel, Completion
from hicrisp_core.plan import first_look
from hicrisp_core.ports.interpreter import Request
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.model import ModelInterpreter

ROOT = Path(__file__).resolve().parents[3]
ANSWERS = json.loads((Path(__file__).parent / "fixtures" / "answers_by_hand.json").read_text(encoding="utf-8"))


class ByHand(ChatModel):
    """Gives one answer, and counts how often it is asked."""

    name = "by-hand"

    def __init__(self, answer):
        self.answer, self.asked = json.dumps(answer), 0

    def complete(self, messages, deadline, schema=None):
        self.asked += 1
        return Completion(self.answer)


def setting_of(name):
    scene = load_scene(config_file("scenes", name), 0)
    domain = load_domain(config_file("domains", scene.domain))
    return Setting(domain, first_look(scene, domain))


def test_the_answers_of_a_capable_model_reach_the_robot_as_they_are():
    sentences = [each for each in read_sentences(ROOT / "config/sentences/fresh_2026_11_26.json") if each.id in ANSWERS]
    settings = {name: setting_of(name) for name in {each.scene for each in sentences}}
    marks, again = Counter(), []
    for sentence in sentences:
        setting, model = settings[sentence.scene], ByHand(ANSWERS[sentence.id])
        found = ModelInterpreter(model, setting.domain).understand(
            Request(sentence.text, setting.world, sentence.turns), Deadline(20.0))
        judged = Judge(setting).judge(sentence, found)
        marks[judged.mark] += 1
        again += [sentence.id] if model.asked > 1 else []
    assert len(sentences) == 160
    assert all(ANSWERS[each] == {"kind": "answer", "say": ANSWERS[each]["say"]} for each in again), \
        "only words that rest on no fact of the scene are asked about once more"
    assert marks == {Mark.RIGHT: 160}
