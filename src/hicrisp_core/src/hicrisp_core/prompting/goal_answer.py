"""A model's text as what a request means: a goal, a question to the user, a refusal, or that no motion is
needed."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Tuple, Union

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.typed import check_goal, mended
from hicrisp_core.llm.exchange import Completion
from hicrisp_core.model import WorldState
from hicrisp_core.model.goal import AnswerOnly, Ask, Goal, NoGoal, Refuse, Statement, Understanding
from hicrisp_core.model.goal_text import parse_statement
from hicrisp_core.model.misfit import Misfit
from hicrisp_core.parsing.grounding import ground_name
from hicrisp_core.parsing.json_text import read_json
from hicrisp_core.parsing.raw import ParseFailure

_PARTS = ("first", "end", "keep")
_MOST_STATEMENTS = 60


def read_goal_answer(
    completion: Completion, domain: Domain, world: WorldState
) -> Union[Understanding, ParseFailure]:
    """Read an answer whose form is :func:`hicrisp_core.prompting.goal_schema.goal_schema`'s, however written.

    What does not fit the domain or the world is a failure that says what would.
    """
    found = read_json(completion.text, lambda value: isinstance(value, dict))
    if found is None:
        return ParseFailure("a JSON object with the key 'kind' is needed", completion.text.strip()[:80])
    if completion.cut_off or found.cut_off:
        return ParseFailure("the answer was cut off before its end: a shorter one is needed",
                            completion.text[-80:])
    said: Mapping[str, Any] = found.value
    kind = str(said.get("kind") or ("goal" if any(said.get(part) for part in _PARTS) else "")).strip().lower()
    if kind == "goal":
        return _goal(said, domain, world)
    if kind == "ask":
        return _ask(said, domain, world)
    if kind == "refuse":
        return Refuse(_why(said.get("why")))
    if kind == "answer":
        return AnswerOnly()
    return ParseFailure("the key 'kind' must be one of: goal, ask, refuse, answer",
                        str(said.get("kind"))[:80])


def _goal(said: Mapping[str, Any], domain: Domain, world: WorldState) -> Union[Goal, ParseFailure]:
    parts: List[Tuple[Statement, ...]] = []
    for part in _PARTS:
        texts = said.get(part) or []
        texts = [texts] if isinstance(texts, str) else texts
        if not isinstance(texts,
                          list) or len(texts) > _MOST_STATEMENTS or not all(isinstance(t, str)
                                                                            for t in texts):
            return ParseFailure(f"'{part}' must be a list of at most {_MOST_STATEMENTS} conditions",
                                str(texts)[:80])
        statements: List[Statement] = []
        for text in texts:
            found = parse_statement(text)
            if isinstance(found, Misfit):
                return ParseFailure(str(found))
            statements.append(mended(found, domain, world))
        parts.append(tuple(dict.fromkeys(statements)))
    first, end, keep = parts
    goal = Goal(end, keep, first, _robot(said.get("robot"), world))
    misfit = check_goal(goal, domain, world)
    return goal if misfit is None else ParseFailure(str(misfit))


def _robot(said: Any, world: WorldState) -> str:
    """The robot by its name, however it is capitalised; one that is not there stays as it was written."""
    name = str(said or "").strip()
    return next((known for known in world.robots if known.lower() == name.lower()), name)


def _ask(said: Mapping[str, Any], domain: Domain, world: WorldState) -> Union[Ask, ParseFailure]:
    which = said.get("which") or []
    names: List[str] = []
    for written in which if isinstance(which, list) else [which]:
        name = ground_name(str(written), domain, world)
        if isinstance(name, ParseFailure):
            return name
        names.append(name)
    return Ask(tuple(dict.fromkeys(names)))


def _why(said: Optional[Any]) -> NoGoal:
    """The reason for a refusal; the least exact one where the model has words of its own."""
    try:
        return NoGoal(str(said or "").strip().lower())
    except ValueError:
        return NoGoal.IMPOSSIBLE
