"""Goals in words, from the domain's own texts: what is said back before anything moves."""

from __future__ import annotations

from typing import Callable, Dict, List, Sequence, Tuple

from hicrisp_core.domain.schema import Domain, Predicate
from hicrisp_core.domain.wording import named
from hicrisp_core.model import Relation
from hicrisp_core.model.goal import Count, Goal, Holds, Not, Statement

_IS, _ENDS_UP, _END_UP = "{0} is ", "{0} ends up ", "{0} end up "


def goal_words(goal: Goal, domain: Domain) -> str:
    """What a goal asks for, as the end of "I understand: ..."."""
    parts: List[str] = []
    if goal.first:
        steps = [_said([statement], domain) for statement in goal.first]
        parts.append(f"first {', then '.join(steps)}")
    if goal.end:
        end = _said(goal.end, domain)
        parts.append(f"and in the end {end}" if goal.first else end)
    if goal.keep:
        parts.append(_joined([_kept(statement, domain) for statement in goal.keep], "and"))
    said = ", ".join(parts)
    return f"{said}; {named(goal.robot)} does it" if goal.robot else said


def statement_words(statement: Statement, domain: Domain) -> str:
    """One statement as it shall be at the end."""
    return _said([statement], domain)


def state_words(statement: Statement, domain: Domain) -> str:
    """One statement as it is or is not now: "the fork is left of the plate"."""
    if isinstance(statement, Holds):
        return _fact(statement.fact, domain, lambda predicate: predicate.text)
    if isinstance(statement, Not) and isinstance(statement.part, Holds):
        return _fact(statement.part.fact, domain, lambda predicate: predicate.not_text)
    if isinstance(statement, Not):
        return f"it is not so that {state_words(statement.part, domain)}"
    return _counted(statement, [state_words(part, domain) for part in statement.parts])


def _said(statements: Sequence[Statement], domain: Domain) -> str:
    """Several statements as a list; those that say the same of several things are said together."""
    groups: Dict[Tuple[str, str], List[str]] = {}
    said: List[Tuple[Tuple[str, str], str]] = []
    for statement in statements:
        key = _shared(statement)
        if key[0] and key in groups:
            groups[key].append(_fact_of(statement).subject)
        elif key[0]:
            groups[key] = [_fact_of(statement).subject]
            said.append((key, ""))
        else:
            said.append((key, _single(statement, domain)))
    sentences = [text or _several(groups[key], key, domain) for key, text in said]
    return _joined(sentences, "and")


def _shared(statement: Statement) -> Tuple[str, str]:
    """What facts have in common that can be said together: predicate and object; nothing for others."""
    return (statement.fact.predicate, statement.fact.object) if isinstance(statement, Holds) else ("", "")


def _fact_of(statement: Statement) -> Relation:
    return statement.fact if isinstance(statement, Holds) else Relation("", "")


def _several(subjects: Sequence[str], key: Tuple[str, str], domain: Domain) -> str:
    predicate = domain.predicates.get(key[0])
    text = _goal_text(predicate) if predicate is not None else ""
    if len(subjects) == 1 or not text.startswith(_ENDS_UP):
        return _joined([_fact(Relation(subject, *key), domain, _goal_text) for subject in subjects], "and")
    things = _joined([named(subject) for subject in subjects], "and")
    return text.replace(_ENDS_UP, _END_UP, 1).format(things, named(key[1]))


def _single(statement: Statement, domain: Domain) -> str:
    if isinstance(statement, Holds):
        return _fact(statement.fact, domain, _goal_text)
    if isinstance(statement, Not):
        return state_words(statement, domain)
    if statement.most is None and statement.least == len(statement.parts):
        return _said(statement.parts, domain)
    return _counted(statement, [_single(part, domain) for part in statement.parts])


def _counted(statement: Count, parts: Sequence[str]) -> str:
    if statement.most is None and statement.least == len(statement.parts):
        return _joined(list(parts), "and")
    if statement.most is None and statement.least == 1:
        return f"{'either ' if len(parts) > 1 else ''}{_joined(list(parts), 'or')}"
    listed = "; ".join(parts)
    if statement.most is None:
        return f"at least {statement.least} of these hold: {listed}"
    if statement.most == 0:
        return f"none of these holds: {listed}"
    amount = f"exactly {statement.most}" if statement.least == statement.most else f"at most {statement.most}"
    return f"{amount} of these hold: {listed}"


def _kept(statement: Statement, domain: Domain) -> str:
    if isinstance(statement, Not) and isinstance(statement.part, Holds):
        predicate = domain.predicates.get(statement.part.fact.predicate)
        if predicate is not None and predicate.avoid_text:
            return _fact(statement.part.fact, domain, lambda each: each.avoid_text)
    return f"all the way {state_words(statement, domain)}"


def _fact(fact: Relation, domain: Domain, text: Callable[[Predicate], str]) -> str:
    predicate = domain.predicates.get(fact.predicate)
    if predicate is None:
        return str(Holds(fact))
    return text(predicate).format(named(fact.subject), named(fact.object))


def _goal_text(predicate: Predicate) -> str:
    """How a fact is said of the end: "ends up" for "is", where the domain has no words of its own."""
    if predicate.goal_text:
        return predicate.goal_text
    text = predicate.text
    return text.replace(_IS, _ENDS_UP, 1) if text.startswith(_IS) else text


def _joined(parts: List[str], word: str) -> str:
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}" if len(parts) > 1 else "".join(parts)
