"""Whatever line a model writes has a meaning: a goal that can be read again, a question, an answer or a refusal."""

from __future__ import annotations

import random

import pytest
from hicrisp_core.config.recipes import recipes
from hicrisp_core.model.goal import Goal, GoalError
from hicrisp_core.model.goal_text import parse_goal
from hicrisp_core.understanding.written import Context, meaning_of, parse_line
from test_written_worlds import Answer, Question, Refusal, scene_world

AMOUNTS = ("", "", "", "all ", "any ", "2 ", "exactly 2 ", "at most 1 ", "different ", "same ", "matching ")
LED = ("", "", "", "other ", "largest ", "2nd leftmost ", "middle ", "empty ", "full ")
EXTRA = ("in", "on", "at", "contains", "tower", "row_left", "column", "swap", "made", "broken", "level")
TOLD = ("", "", "", " {{on {}}}", " {{not in {}}}", " {{nearest {}}}", " {{holding _}}", " {{between {} + {}}}",
        " {{open}}", " except {}")


class Writer:
    """Writes lines at random from the words of a world and from words that are not in it."""

    def __init__(self, scene: str, seed: int) -> None:
        self.domain, self.world = scene_world(scene)
        self.random = random.Random(seed)
        names = [name.replace("_", " ") for name in self.world.types()]
        self.words = [*names, *(name.split()[-1] for name in names), *self.domain.types, "one", "object", "teapot",
                      "it", "here", "start", "caipirinha", "200"]

    def phrase(self, deep: bool = True) -> str:
        pick = self.random.choice
        told = pick(TOLD).format(self.phrase(False), self.phrase(False)) if deep else ""
        return "_" if self.random.random() < 0.1 else f"{pick(AMOUNTS)}{pick(LED)}{pick(self.words)}{told}"

    def argument(self) -> str:
        return " + ".join(self.phrase() for _ in range(self.random.choice((1, 1, 1, 2, 3))))

    def fact(self) -> str:
        predicate = self.random.choice((*self.domain.predicates, *EXTRA))
        known = self.domain.predicates.get(predicate)
        count = len(known.arguments) if known is not None else self.random.choice((1, 2))
        return f"{predicate}({', '.join(self.argument() for _ in range(count))})"

    def line(self) -> str:
        fact = self.fact
        return self.random.choice((
            "{0}", "{0} & {1}", "not {0}", "{0} or {1}", "{0} > {1}", "if {0}: {1} else {2}", "@robot: {0}",
            "{0} | never {1}", "maybe {0} | always {1}", "answer is {0}", "answer where {3}", "answer which {3}",
            "answer count {3}", "answer state {3}")).format(fact(), fact(), fact(), self.phrase())


@pytest.mark.parametrize("scene", ["sorting", "dishes", "lab", "agv", "barman", "household"])
@pytest.mark.parametrize("seed", range(5))
def test_any_line_has_a_meaning(scene, seed):
    writer = Writer(scene, seed)
    context = Context(spoken=tuple(sorted(writer.world.objects))[:2], recipes=recipes())
    for _ in range(80):
        line = writer.line()
        said = parse_line(line)
        if isinstance(said, GoalError):
            continue
        meaning = meaning_of(said, writer.domain, writer.world, context)
        assert isinstance(meaning, (Goal, Question, Answer, Refusal)), line
        if isinstance(meaning, Goal):
            assert parse_goal(meaning.texts) == meaning, line
        else:
            assert meaning.text, line
        if isinstance(meaning, Answer):
            assert set(meaning.facts) <= writer.world.relations, line
