"""A language model's endpoint that fails, and answers that cannot be used; a key, searched for in everything
that a run leaves.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Tuple

import rosbag
from hicrisp_core.time import Deadline, wait_until
from mcap.reader import make_reader

from hicrisp_bench.faults import wild_model as wild
from hicrisp_bench.faults.probe import LONG, MENDING, MODEL, FaultCase, Probe
from hicrisp_bench.faults.rig import CANARY, Rig
from hicrisp_bench.faults.wild_model import Play, WildModel, step
from hicrisp_bench.launched import LIMIT

Judge = Callable[[Probe], object]
_PICK, _PLACE = step("pick", item="box"), step("place_next_to", item="box", reference="cylinder")
_TAKE, _BACK = step("pick", item="cylinder"), step("put_down", item="cylinder")
_GOOD = wild.plan((_PICK, _PLACE))
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


def _asked(case: Probe) -> str:
    return f"{len(case.model.asked)} requests ({_kept(case)} in the run's folder)"


def _kept(case: Probe) -> int:
    """Count the requests that a run's folder holds, with those that were tried again."""
    file = case.rig.runs / case.task / "llm.jsonl"
    return sum(1 for line in file.read_text(encoding="utf-8").splitlines() if line.strip()) if file.is_file() else 0


def refused(case: Probe, most: int = _MOST) -> None:
    """Nothing moves, the wait is seen to live, and it ends after so many requests for one question.

    Args:
        case: the launched world, and what is seen of it.
        most: requests for one question.
    """
    case.rig.ended(case.task, LONG)
    took = case.took
    case.ends("failed", "refused", what=f"the task, after {took:.1f} s")
    case.note(_asked(case), 0 < len(case.model.asked) <= _QUESTIONS * most)
    if took > _SLOW:
        beats = sum(1 for moment in case.rig.seen.statuses if case.since < moment < case.since + took)
        case.note(f"meanwhile its status came {beats} times", beats >= took / _BEAT)
    case.unmoved()


def done(case: Probe) -> None:
    """A good answer is among them; nothing else is carried out."""
    tried = len(case.ends("succeeded").note(_asked(case)).rig.commands(case.task))
    case.note(f"{tried} commands", tried == len((_PICK, _PLACE)))


def told(case: Probe, valid: str) -> None:
    """What there is was said to a model that named something else.

    Args:
        case: the launched world, and what is seen of it.
        valid: a name that must be among those that were said.
    """
    case.ends("failed", "refused").note(_asked(case))
    again = str(case.model.asked[-1]["messages"]) if len(case.model.asked) > 1 else ""
    case.note("the model was told what there is", valid in again).unmoved()


def checked(case: Probe) -> None:
    """The plan's steps all work and do not make what was asked for: that is seen, and mended or said."""
    goal = case.ends("succeeded", "failed").corrected(0).rig.status(case.task).goal_state
    case.note(f"goal {goal}", (case.rig.state(case.task), goal) in (("succeeded", "seen"), ("failed", "missed")))


def gave_up(case: Probe) -> None:
    """A step cannot run, and corrections do not change that, over and over."""
    case.explained("failed").note(_asked(case)).corrected(0)


def _at_first(*others: Play) -> Play:
    """The first questions are answered so, the others well."""
    return lambda model, request: dict(enumerate(others, 1)).get(len(model.asked), _GOOD)(model, request)


def _no_system(model: WildModel, request: Mapping[str, Any]) -> Any:
    """As a template answers that knows user and assistant alone."""
    has = any(each["role"] == "system" for each in request["messages"])
    refusal = wild.sends('{"error": {"message": "System role not supported"}}', "400 Bad Request")
    return (refusal if has else _GOOD)(model, request)


_BOUNDED, _ONCE = "given up after 2 retries", "not repeated; says what to change"
_USELESS, _UNREAD = "asked once more, then refused", partial(refused, most=_ASKED_ANEW)
_UNKNOWN, _MISSED = "refused; told what exists", "corrected, or the rest named"
_GUARDED = "guard gives up with a summary"
_MODEL: Tuple[Tuple[str, str, Play, Judge], ...] = (
    ("says nothing", _BOUNDED, wild.hangs, refused),
    ("drips slowly", _BOUNDED, wild.drips, refused),
    ("closes the line", _BOUNDED, wild.closes, refused),
    ("500 for ever", _BOUNDED, wild.sends("{}", "500 Internal Server Error"), refused),
    ("429 and 503 with Retry-After, then a plan", "tried twice more; done", _at_first(
        *(wild.sends("{}", each, "Retry-After: 1") for each in ("429 Too Many Requests", "503 Service Unavailable"))),
     lambda case: case.ends("succeeded").note(_asked(case), _kept(case) == _MOST + 1)),
    ("401", _ONCE, wild.sends("{}", "401 Unauthorized"), partial(refused, most=1)),
    ("404, unknown model", _ONCE, wild.sends("{}", "404 Not Found"), partial(refused, most=1)),
    ("malformed answer", _USELESS, wild.says('{"kind": "plan", "steps": [{"action": pick box}'), _UNREAD),
    ("brackets without end", _USELESS, wild.says('{"kind": "plan", "steps": ' + "[" * 5000), _UNREAD),
    ("empty answer", _USELESS, wild.says(""), _UNREAD),
    ("JSON of the wrong shape", _USELESS, wild.says('{"plan": {"first": ["pick", 7, null]}}'), _UNREAD),
    ("answer of 30 MB", "not read to its end; nothing moves", wild.says("x" * 30_000_000), refused),
    ("two plans and no word which counts", _USELESS,
     wild.says(f"Maybe {_WRONG}. Or {_WRONG.replace('cylinder', 'box')}."), _UNREAD),
    ("answer in a fence with words around it", "done",
     wild.plan((_PICK, _PLACE), wrap="Sure! Here is the plan:\n```json\n{}\n```\nGood luck."), done),
    ("a plan in its thought, whose opening mark is missing", "the final answer alone is carried out; done",
     wild.plan((_PICK, _PLACE), wrap=f"One idea: {_WRONG}, but no.\n</think>\n{{}}"), done),
    ("an error inside HTTP 200", "tried again as that error would be; done",
     _at_first(wild.sends('{"choices": null, "error": {"message": "overloaded", "code": 429}}')), done),
    ("no system role", "done", _no_system, done),
    ("words in the place of a goal", "asked once more whether they answer a question; done",
     _at_first(wild.says('{"kind": "answer", "say": "Sure, I will."}')), done),
    ("invents a thing", _UNKNOWN, wild.plan((step("pick", item="teapot"),)), partial(told, valid="cylinder")),
    ("invents an action", _UNKNOWN, wild.plan((step("teleport", item="box"),)), partial(told, valid="place_next_to")),
    ("invents a robot", _UNKNOWN, wild.plan((step("pick", item="box", robot="hal"),)), partial(told, valid="panda")),
    ("half a plan", _MISSED, wild.plan((_PICK,)), checked),
    ("a plan for another goal", _MISSED, wild.plan((_TAKE, _BACK)), checked),
    ("a step too many", _MISSED, wild.plan((_PICK, _PLACE, _PICK)), checked))
_CORRECTIONS: Tuple[Tuple[str, str, Play, Judge], ...] = (
    ("the same correction again", _GUARDED, wild.plan((_PLACE,), (step("home"),)), gave_up),
    ("corrections in a circle", _GUARDED, wild.plan((_PLACE,), (_TAKE, _BACK)), gave_up))


def answered(case: Probe, play: Play, judge: Judge) -> None:
    """The world's task, to a model that answers so.

    Args:
        case: the launched world, and what is seen of it.
        play: what the model answers.
        judge: notes what comes of it.
    """
    judge(case.plays(play).submit())


def key_searched_for(case: Probe) -> None:
    """After a task that was done, and two whose endpoint says the key back, in an error and in an answer."""
    error = json.dumps({"error": {"message": f"no such key: {CANARY}"}})
    for play in (_GOOD, wild.sends(error, "400 Bad Request"),
                 wild.says(f'{{"kind": "answer", "text": "Your key is {CANARY}."}}')):
        rig = case.plays(play).submit().rig
        rig.ended(case.task, LONG)
        wait_until((rig.runs / case.task / "run.mcap").exists, Deadline(LIMIT))
    searched = [(name, CANARY.encode() in data) for name, data in _everything(case.rig)]
    found = [name for name, there in searched if there]
    case.note(f"{len(searched)} files and the parameters searched; found in: {', '.join(found) or 'none'}", not found)
    recordings = [name for name, _ in searched if name.endswith((".mcap", ".bag"))]
    case.note(f"{len(recordings)} recordings among them", len(recordings) >= 2)


def _everything(rig: Rig) -> Iterator[Tuple[str, bytes]]:
    """Every file that the launch wrote, recordings as they are unpacked, and the parameters."""
    yield "parameters", rig.parameters.encode()
    for file in sorted(rig.folder.rglob("*")):
        if file.is_file() and file.name != "key":
            yield str(file.relative_to(rig.folder)), file.read_bytes() + b"".join(_unpacked(file))


def _unpacked(file: Path) -> Iterator[bytes]:
    if file.suffix == ".mcap":
        with open(file, "rb") as stream:
            for _, _, message in make_reader(stream).iter_messages():
                yield message.data
    elif file.suffix == ".bag":
        with rosbag.Bag(str(file)) as bag:
            for _, raw, _ in bag.read_messages(raw=True):
                yield raw[1]


MODELS = (
    *(FaultCase(f"model: {name}", expected, partial(answered, play=play, judge=judge), (world,))
      for world, rows in ((MODEL, _MODEL), (MENDING, _CORRECTIONS)) for name, expected, play, judge in rows),
    FaultCase("a key, searched for", "in no file, log, recording or parameter", key_searched_for, (MODEL,)),
)
