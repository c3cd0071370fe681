"""A language model's endpoint that fails, and answers that cannot be used; a key, searched for in everything
that a run leaves.
"""

from __future__ import annotations

import json
from io import BufferedIOBase
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Tuple

import rosbag
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until
from mcap.reader import make_reader

from hicrisp_bench.chat_server import completion
from hicrisp_bench.faults import wild_model as wild
from hicrisp_bench.faults.probe import LONG, MENDING, MODEL, FaultCase, Probe
from hicrisp_bench.faults.rig import CANARY, Rig
from hicrisp_bench.faults.wild_model import Play, WildModel
from hicrisp_bench.launched import LIMIT

Run = Callable[[Probe], object]
_PICK: wild.Step = ("pick", {"item": "box"})
_PLACE: wild.Step = ("place_next_to", {"item": "box", "reference": "cylinder"})
_TAKE, _BACK = ("pick", {"item": "cylinder"}), ("put_down", {"item": "cylinder"})
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


def _asked(case: Probe) -> str:
    return f"{len(case.model.asked)} requests ({_kept(case)} in the run's folder)"


def _kept(case: Probe) -> int:
    """Count the requests that a run's folder holds, with those that were tried again."""
    file = case.rig.runs / case.task / "llm.jsonl"
    return sum(1 for line in file.read_text(encoding="utf-8").splitlines() if line.strip()) if file.is_file() else 0


def fails(play: Play, most: int = _MOST) -> Run:
    """Whatever is asked, in the same way.

    Args:
        play: answers everything.
        most: requests for one question.
    """
    def run(case: Probe) -> None:
        rig = case.plays(play).submit().rig
        rig.ended(case.task, LONG)
        took = case.took
        case.ends("failed", "refused", what=f"the task, after {took:.1f} s")
        case.note(_asked(case), 0 < len(case.model.asked) <= _QUESTIONS * most)
        if took > _SLOW:
            beats = sum(1 for moment in rig.seen.statuses if case.since < moment < case.since + took)
            case.note(f"meanwhile its status came {beats} times", beats >= took / _BEAT)
        case.unmoved()

    return run


def passes_in_the_end(case: Probe) -> None:
    """Too many requests, then no service, each with the time to wait; then a plan."""
    plays = iter([wild.sends("{}", status, "Retry-After: 1")
                  for status in ("429 Too Many Requests", "503 Service Unavailable")])
    case.plays(lambda model, request, to: next(plays, _GOOD)(model, request, to)).submit().ends("succeeded")
    case.note(_asked(case), _kept(case) == _MOST + 1)


def done(play: Play) -> Run:
    """Answers among which is a good one; nothing else is carried out."""
    def run(case: Probe) -> None:
        case.plays(play).submit().ends("succeeded").note(_asked(case))
        tried = len(case.rig.commands(case.task))
        case.note(f"{tried} commands", tried == len(_GOOD_STEPS))

    return run


def unknown(step: wild.Step, valid: str) -> Run:
    """A plan with something that there is not, twice."""
    def run(case: Probe) -> None:
        case.plays(wild.plan((step,))).submit().ends("failed", "refused").note(_asked(case))
        again = str(case.model.asked[-1]["messages"]) if len(case.model.asked) > 1 else ""
        case.note("the model was told what there is", valid in again).unmoved()

    return run


def misses(*steps: wild.Step) -> Run:
    """A plan whose steps all work and that does not make what was asked for."""
    def run(case: Probe) -> None:
        case.plays(wild.plan(steps)).submit().ends("succeeded", "failed").corrected(0)
        goal = case.rig.status(case.task).goal_state
        case.note(f"goal {goal}", (case.rig.state(case.task), goal) in (("succeeded", "seen"), ("failed", "missed")))

    return run


def same_again(*correction: wild.Step) -> Run:
    """A step that cannot run, and corrections that do not change that, over and over."""
    return lambda case: case.plays(wild.plan((_PLACE,), correction)).submit().explained("failed").note(
        _asked(case)).corrected(0)


def _at_first(other: Play) -> Play:
    """The first question is answered so, the others well."""
    return lambda model, request, to: (other if len(model.asked) == 1 else _GOOD)(model, request, to)


def _no_system(model: WildModel, request: Mapping[str, Any], to: BufferedIOBase) -> None:
    """As a template answers that knows user and assistant alone."""
    has = any(each["role"] == "system" for each in request["messages"])
    refusal = wild.sends('{"error": {"message": "System role not supported"}}', "400 Bad Request")
    (refusal if has else _GOOD)(model, request, to)


_BOUNDED = "given up after 2 retries"
_ONCE = "not repeated; says what to change"
_USELESS = "asked once more, then refused"
_UNKNOWN = "refused; told what exists"
_MISSED = "corrected, or the rest named"


def _useless(text: str) -> Run:
    return fails(wild.says(text), _ASKED_ANEW)


_MODEL: Tuple[Tuple[str, str, Run], ...] = (
    ("says nothing", _BOUNDED, fails(wild.hangs)),
    ("drips slowly", _BOUNDED, fails(wild.drips)),
    ("closes the line", _BOUNDED, fails(wild.closes)),
    ("500 for ever", _BOUNDED, fails(wild.sends("{}", "500 Internal Server Error"))),
    ("429 and 503 with Retry-After, then a plan", "tried twice more; done",
     passes_in_the_end),
    ("401", _ONCE, fails(wild.sends("{}", "401 Unauthorized"), 1)),
    ("404, unknown model", _ONCE, fails(wild.sends("{}", "404 Not Found"), 1)),
    ("malformed answer", _USELESS, _useless('{"kind": "plan", "steps": [{"action": pick box}')),
    ("brackets without end", _USELESS, _useless('{"kind": "plan", "steps": ' + "[" * 5000)),
    ("empty answer", _USELESS, _useless("")),
    ("JSON of the wrong shape", _USELESS, _useless('{"plan": {"first": ["pick", 7, null]}}')),
    ("answer of 30 MB", "not read to its end; nothing moves",
     fails(wild.sends(completion("x" * 30_000_000, "wild")))),
    ("two plans and no word which counts", _USELESS,
     _useless(f"Maybe {_WRONG}. Or {_WRONG.replace('cylinder', 'box')}.")),
    ("answer in a fence with words around it", "read; done",
     done(wild.plan(_GOOD_STEPS, wrap="Sure! Here is the plan:\n```json\n{}\n```\nGood luck."))),
    ("a plan in its thought, whose opening mark is missing",
     "the final answer alone is carried out; done",
     done(wild.plan(_GOOD_STEPS, wrap=f"One idea: {_WRONG}, but no.\n</think>\n{{}}"))),
    ("an error inside HTTP 200", "tried again as that error would be; done",
     done(_at_first(wild.sends('{"choices": null, "error": {"message": "overloaded", "code": 429}}')))),
    ("no system role", "the rules go into the user's message; done", done(_no_system)),
    ("words in the place of a goal", "asked once more whether they answer a question; done",
     done(_at_first(wild.says('{"kind": "answer", "say": "Sure, I will."}')))),
    ("invents a thing", _UNKNOWN, unknown(("pick", {"item": "teapot"}), "cylinder")),
    ("invents an action", _UNKNOWN, unknown(("teleport", {"item": "box"}), "place_next_to")),
    ("invents a robot", _UNKNOWN, unknown(("pick", {"item": "box", "robot": "hal"}), "panda")),
    ("half a plan", _MISSED, misses(_PICK)),
    ("a plan for another goal", _MISSED, misses(_TAKE, _BACK)),
    ("a step too many", _MISSED, misses(_PICK, _PLACE, _PICK)))
_MENDING = (("the same correction again", same_again(("home", {}))),
            ("corrections in a circle", same_again(_TAKE, _BACK)))


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
    *(FaultCase(f"model: {name}", expected, run, (MODEL,)) for name, expected, run in _MODEL),
    *(FaultCase(f"model: {name}", "guard gives up with a summary", run, (MENDING,))
      for name, run in _MENDING),
    FaultCase("a key, searched for", "in no file, log, recording or parameter", key_searched_for, (MODEL,)),
)
