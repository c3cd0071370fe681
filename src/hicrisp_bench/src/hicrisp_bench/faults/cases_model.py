"""A language model's endpoint that fails, and answers that cannot be used, over the launched nodes."""

from __future__ import annotations

import time
from functools import partial
from io import BufferedIOBase
from itertools import count
from typing import Any, Mapping, Tuple

from hicrisp_bench.faults import wild_model as wild
from hicrisp_bench.faults.case import MENDING, MODEL, FaultCase, Seen
from hicrisp_bench.faults.rig import Rig
from hicrisp_bench.faults.wild_model import Play, WildModel

_LONG = 300.0
_PICK: wild.Step = ("pick", {"item": "box"})
_PLACE: wild.Step = ("place_next_to", {"item": "box", "reference": "cylinder"})
_GOOD_STEPS = (_PICK, _PLACE)
_GOOD = wild.plan(_GOOD_STEPS)
_WRONG = '{"kind": "plan", "steps": [{"action": "pick", "arguments": {"item": "cylinder"}}]}'
"""A plan that nobody wants."""
_SLOW = 8.0
"""Wall seconds from which on a wait must be seen to live."""
_BEAT = 3.0
"""Wall seconds between two messages of a status that lives, at most; it is sent every second."""
_QUESTIONS = 2
"""What the task means, and the plan to it."""
_MOST = 3
"""Requests for one question: the first and two retries."""
_ASKED_ANEW = 2
"""Requests for one answer that comes: the first, and one for an answer that can be read."""


def endpoint_fails(play: Play, most: int, rig: Rig, seen: Seen) -> None:
    """Whatever is asked, in the same way.

    Args:
        most: requests for one question.
    """
    model, began = _model(rig, play), time.monotonic()
    task = rig.submit()
    state = rig.ended(task, _LONG)
    took = time.monotonic() - began
    seen.note(f"after {took:.1f} s and {len(model.asked)} requests ({rig.questions(task)} in the run's "
              f"folder): {rig.said(task)}",
              state in ("failed", "refused") and 0 < len(model.asked) <= _QUESTIONS * most)
    if took > _SLOW:
        beats = sum(1 for moment in rig.seen.statuses if began < moment < began + took)
        seen.note(f"meanwhile its status came {beats} times", beats >= took / _BEAT)
    seen.note("nothing moved", rig.motion.moved_at < began)


def passes_in_the_end(rig: Rig, seen: Seen) -> None:
    """Too many requests, then no service, each with the time to wait; then a plan."""
    number = count()
    busy = (wild.sends("{}", "429 Too Many Requests", "Retry-After: 1"),
            wild.sends("{}", "503 Service Unavailable", "Retry-After: 1"))

    def play(model: WildModel, request: Mapping[str, Any], to: BufferedIOBase) -> None:
        turn = next(number)
        (busy[turn] if turn < len(busy) else _GOOD)(model, request, to)

    model = _model(rig, play)
    task = rig.submit()
    state = rig.ended(task, _LONG)
    seen.note(f"after {len(model.asked)} requests ({rig.questions(task)} in the run's folder): "
              f"{rig.said(task)}", state == "succeeded" and rig.questions(task) == _MOST + 1)


def done_all_the_same(play: Play, rig: Rig, seen: Seen) -> None:
    """Answers among which is a good one; nothing else is carried out."""
    model = _model(rig, play)
    task = rig.submit()
    state = rig.ended(task, _LONG)
    seen.note(f"after {len(model.asked)} requests: {rig.said(task)}", state == "succeeded")
    seen.note(f"{rig.tried(task)} commands", rig.tried(task) == len(_GOOD_STEPS))


def useless_answer(text: str, rig: Rig, seen: Seen) -> None:
    """The same text, whatever is asked."""
    endpoint_fails(wild.says(text), _ASKED_ANEW, rig, seen)


def names_unknown(step: wild.Step, valid: str, rig: Rig, seen: Seen) -> None:
    """A plan with something that there is not, twice."""
    model, began = _model(rig, wild.plan((step,))), time.monotonic()
    task = rig.submit()
    state = rig.ended(task, _LONG)
    seen.note(f"after {len(model.asked)} requests: {rig.said(task)}", state in ("failed", "refused"))
    asked_again = str(model.asked[-1]["messages"]) if len(model.asked) > 1 else ""
    seen.note("the model was told what there is", valid in asked_again)
    seen.note("nothing moved", rig.motion.moved_at < began)


def wrong_plan(steps: Tuple[wild.Step, ...], rig: Rig, seen: Seen) -> None:
    """A plan whose steps all work and that does not make what was asked for."""
    _model(rig, wild.plan(steps))
    task = rig.submit()
    state = rig.ended(task, _LONG)
    status = rig.status(task)
    seen.note(f"{rig.said(task)}; goal {status.goal_state}, {status.corrections} corrections",
              (state, status.goal_state) in (("succeeded", "seen"), ("failed", "missed")))


def same_again(correction: Tuple[wild.Step, ...], rig: Rig, seen: Seen) -> None:
    """A step that cannot run, and corrections that do not change that, over and over."""
    model = _model(rig, wild.plan((_PLACE,), correction))
    task = rig.submit()
    state = rig.ended(task, _LONG)
    seen.note(f"after {len(model.asked)} requests: {rig.said(task)}", state == "failed")
    seen.note(f"{rig.status(task).corrections} corrections, then it gave up", rig.status(task).message != "")


def _model(rig: Rig, play: Play) -> WildModel:
    if rig.model is None:
        raise ValueError("this world has no model")
    rig.model.plays(play)
    return rig.model


def _fails(name: str, expected: str, play: Play, most: int = _MOST, quick: bool = False) -> FaultCase:
    return FaultCase(f"model: {name}", expected, partial(endpoint_fails, play, most), (MODEL,), quick=quick)


def _useless(name: str, text: str) -> FaultCase:
    return FaultCase(f"model: {name}", "asked once more, then refused", partial(useless_answer, text), (MODEL,))


def _done(name: str, expected: str, play: Play) -> FaultCase:
    return FaultCase(f"model: {name}", f"{expected}; done", partial(done_all_the_same, play), (MODEL,))


def _at_first(other: Play) -> Play:
    """The first question is answered so, the others well."""
    return lambda model, request, to: (other if len(model.asked) == 1 else _GOOD)(model, request, to)


def _no_system(model: WildModel, request: Mapping[str, Any], to: BufferedIOBase) -> None:
    """As a template answers that knows user and assistant alone."""
    has = any(each["role"] == "system" for each in request["messages"])
    refusal = wild.sends('{"error": {"message": "System role not supported"}}', "400 Bad Request")
    (refusal if has else _GOOD)(model, request, to)


def _unknown(name: str, step: wild.Step, valid: str) -> FaultCase:
    return FaultCase(f"model: invents {name}", "refused; told what exists",
                     partial(names_unknown, step, valid), (MODEL,))


def _misses(name: str, *steps: wild.Step) -> FaultCase:
    return FaultCase(f"model: {name}", "corrected, or the rest named", partial(wrong_plan, steps), (MODEL,))


_BOUNDED = "given up after 2 retries"
_ONCE = "not repeated; says what to change"
_DEEP = '{"kind": "plan", "steps": ' + "[" * 5000
CASES = (
    _fails("says nothing", _BOUNDED, wild.hangs),
    _fails("drips slowly", _BOUNDED, wild.drips),
    _fails("closes the line", _BOUNDED, wild.closes),
    _fails("500 for ever", _BOUNDED, wild.sends("{}", "500 Internal Server Error")),
    FaultCase("model: 429 and 503 with Retry-After, then a plan", "tried twice more; done", passes_in_the_end,
              (MODEL,)),
    _fails("401", _ONCE, wild.sends("{}", "401 Unauthorized"), 1),
    _fails("404, unknown model", _ONCE, wild.sends("{}", "404 Not Found"), 1),
    _useless("malformed answer", '{"kind": "plan", "steps": [{"action": pick box}'),
    _useless("brackets without end", _DEEP),
    _useless("empty answer", ""),
    _useless("JSON of the wrong shape", '{"plan": {"first": ["pick", 7, null]}}'),
    _fails("answer of 30 MB", "not read to its end; nothing moves",
           wild.sends(wild.completion("x" * 30_000_000)), _MOST),
    _useless("two plans and no word which counts", f"Maybe {_WRONG}. Or {_WRONG.replace('cylinder', 'box')}."),
    _done("answer in a fence with words around it", "read",
          wild.plan(_GOOD_STEPS, wrap="Sure! Here is the plan:\n```json\n{}\n```\nGood luck.")),
    _done("a plan in its thought, whose opening mark is missing", "the final answer alone is carried out",
          wild.plan(_GOOD_STEPS, wrap=f"One idea: {_WRONG}, but no.\n</think>\n{{}}")),
    _done("an error inside HTTP 200", "tried again as that error would be",
          _at_first(wild.sends('{"choices": null, "error": {"message": "overloaded", "code": 429}}'))),
    _done("no system role", "the rules go into the user's message", _no_system),
    _done("words in the place of a goal", "asked once more whether they answer a question",
          _at_first(wild.says('{"kind": "answer", "say": "Sure, I will."}'))),
    _unknown("a thing", ("pick", {"item": "teapot"}), "cylinder"),
    _unknown("an action", ("teleport", {"item": "box"}), "place_next_to"),
    _unknown("a robot", ("pick", {"item": "box", "robot": "hal"}), "panda"),
    _misses("half a plan", _PICK),
    _misses("a plan for another goal", ("pick", {"item": "cylinder"}), ("put_down", {"item": "cylinder"})),
    _misses("a step too many", _PICK, _PLACE, _PICK),
    FaultCase("model: the same correction again", "guard gives up with a summary",
              partial(same_again, (("home", {}),)), (MENDING,)),
    FaultCase("model: corrections in a circle", "guard gives up with a summary",
              partial(same_again, (("pick", {"item": "cylinder"}), ("put_down", {"item": "cylinder"}))), (MENDING,)),
)
