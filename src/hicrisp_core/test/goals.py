"""Goals for tests, from texts; and an interpreter that answers as a test says."""

from __future__ import annotations

from typing import List, Mapping, Sequence, Tuple

from hicrisp_core.model.goal import Goal, GoalError, Stage, Statement
from hicrisp_core.model.goal_text import parse_goal, parse_statement
from hicrisp_core.model.meaning import Meaning
from hicrisp_core.ports.interpreter import Request, Understood
from hicrisp_core.time.deadline import Deadline


def read(*texts: str) -> Tuple[Statement, ...]:
    """The statements of texts."""
    statements = tuple(parse_statement(text) for text in texts)
    assert not any(isinstance(each, GoalError) for each in statements), statements
    return statements


def goal(*end: str, keep: Sequence[str] = (), first: Sequence[str] = (), robot: str = "") -> Goal:
    """A goal whose last stage has these conditions, with one stage for each of ``first`` before it."""
    stages = filter(None, (*(read(each) for each in first), read(*end)))
    return Goal(tuple(Stage(each, robot) for each in stages), read(*keep))


def staged(*stages: str, otherwise: Sequence[str] = (), keep: Sequence[str] = ()) -> Goal:
    """A goal from the texts of its stages, such as ``maybe if on(a,b): in(a,c)``."""
    found = parse_goal({"stages": stages, "otherwise": otherwise, "invariants": keep})
    assert not isinstance(found, GoalError), found
    return found


def visits(*areas: str) -> Goal:
    """The goal that the base visits areas, one after another."""
    *first, last = (f"visited(agv,{area})" for area in areas)
    return goal(last, first=first)


class ScriptedInterpreter:
    """Answers with given meanings, one after another, the last of them from then on."""

    def __init__(self, *meanings: Meaning) -> None:
        self.meanings: List[Meaning] = list(meanings)
        self.requests: List[Request] = []

    def understand(self, request: Request, deadline: Deadline) -> Understood:
        self.requests.append(request)
        return Understood(self.meanings.pop(0) if len(self.meanings) > 1 else self.meanings[0])


class SayingInterpreter:
    """Knows the meanings of the texts that a test gives, and understands no other."""

    def __init__(self, meanings: Mapping[str, Meaning]) -> None:
        self.meanings = dict(meanings)
        self.requests: List[Request] = []

    def understand(self, request: Request, deadline: Deadline) -> Understood:
        self.requests.append(request)
        meaning = self.meanings.get(request.text)
        return Understood(meaning, "" if meaning is not None else f"I do not understand '{request.text}'.")
