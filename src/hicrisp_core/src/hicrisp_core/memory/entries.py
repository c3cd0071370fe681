"""What the memory holds, as values: an example, a correction that worked, an offset of a robot.

Names are those of the scene in which it happened, each with the type and the attributes that its thing had,
so that it can be said of the things of another scene.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, Tuple, Union

from hicrisp_core.model import Step
from hicrisp_core.model.offsets import OffsetEstimate


@dataclass(frozen=True)
class Thing:
    """What a name stood for: a type of the domain or a kind of robot, and the attributes of a thing."""

    type: str
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Source:
    """Where an entry comes from.

    Args:
        run: the id of the task.
        when: seconds since 1970.
        policy: by which it was carried out; ``llm`` is the language model, ``scene`` the scene.
    """

    run: str = ""
    when: float = 0.0
    policy: str = ""
    llm: str = ""
    scene: str = ""


@dataclass(frozen=True)
class Example:
    """A task that went well.

    Args:
        domain: the name of the domain.
        text: the request, as it was typed.
        things: what the names in it stood for.
        goal: the conditions in writing, by the part of the goal: ``first``, ``end``, ``keep``.
        steps: the commands that were carried out for it and held, without corrections.
    """

    domain: str
    text: str
    things: Mapping[str, Thing]
    steps: Tuple[Step, ...]
    goal: Mapping[str, Tuple[str, ...]] = field(default_factory=dict)
    source: Source = Source()


@dataclass(frozen=True)
class Failure:
    """What went wrong with a command.

    Args:
        kind: of the feedback; ``label`` is the domain's own word for it.
        command: the one that failed.
        about: the names of the feedback's subjects, then of its blockers.
    """

    kind: str
    label: str
    command: Step
    about: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Mended:
    """A correction that worked.

    Args:
        steps: what was carried out.
        instead: whether the last of the steps took the failed command's place.
        maker: who made it, by the kind of maker.
    """

    domain: str
    failure: Failure
    things: Mapping[str, Thing]
    steps: Tuple[Step, ...]
    instead: bool = False
    maker: str = ""
    source: Source = Source()


@dataclass(frozen=True)
class Offset:
    """What the action decoder had learnt of a robot.

    Args:
        body: which robot it is: real, or of which simulated world.
        key: robot, skill and frame, as the decoder names its estimates.
        when: seconds since 1970 of the latest measurement.
    """

    body: str
    key: str
    estimate: OffsetEstimate
    when: float = 0.0


Entry = Union[Example, Mended, Offset]


@dataclass(frozen=True)
class Numbered:
    """An entry with the id by which it is listed and forgotten.

    Args:
        times: how often the task went well, or the correction worked.
        failed: how often the correction was tried again and did not help.
        last: seconds since 1970 of the latest time.
    """

    id: str
    entry: Entry
    times: int = 1
    failed: int = 0
    last: float = 0.0
