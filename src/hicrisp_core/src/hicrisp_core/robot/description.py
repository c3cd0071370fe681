"""What a robot is, independent of its driver: the section ``body`` of ``config/robots/<name>.yaml``."""

from __future__ import annotations

from dataclasses import field, replace
from pathlib import Path
from typing import Dict, Mapping, Optional, Tuple, Union

from pydantic import NonNegativeFloat, PositiveFloat
from pydantic.dataclasses import dataclass
from typing_extensions import Literal

from hicrisp_core.config.files import config_file
from hicrisp_core.config.settings import STRICT, read_settings
from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.domain.schema import SkillUse
from hicrisp_core.errors import ConfigError
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import Vector
from hicrisp_core.robot.gripper import Gripper
from hicrisp_core.scene.scene import Scene, Stand

SECTION = "body"


@dataclass(frozen=True, config=STRICT)
class BodyFrames:
    """The TF frames by which a robot is seen; empty ones have the usual names.

    Args:
        tool: the tool centre point of an arm; ``<name>_hand_tcp``.
        fingers: the finger tips of an arm; ``<name>_leftfinger`` and ``<name>_rightfinger``.
        apart: how far the origins of the two are apart when the fingers meet, metres.
        base: the middle of a base; ``<name>/base_link``.
    """

    tool: str = ""
    fingers: Tuple[str, str] = ("", "")
    apart: NonNegativeFloat = 0.0
    base: str = ""


@dataclass(frozen=True, config=STRICT)
class Capsule:
    """A cylinder with round ends around a part of a link, in the link's frame, metres.

    Args:
        start: one end of its axis.
        end: the other end.
        radius: of the cylinder.
    """

    start: Vector
    end: Vector
    radius: PositiveFloat


@dataclass(frozen=True, config=STRICT)
class RobotBody:
    """A robot as a body.

    Args:
        kind: ``arm`` or ``base``.
        origin: where an arm stands in the world's plane, metres.
        reach: the least and the greatest distance from there at which an arm places objects, metres; without
            it, anywhere.
        hand: the measures of an arm's gripper, metres; without them no room is kept for it where objects are
            placed, and nothing can drive the arm.
        skills: the skills that it has; none for all of its kind.
        links: for each TF frame of a link the capsules around it, which separate the robot in a camera's images from
            the robot itself.
        frames: by which it is seen.
    """

    kind: Literal["arm", "base"] = "arm"
    frames: BodyFrames = field(default_factory=BodyFrames)
    origin: Tuple[float, float] = (0.0, 0.0)
    reach: Optional[Tuple[NonNegativeFloat, NonNegativeFloat]] = None
    hand: Optional[Gripper] = None
    skills: Tuple[str, ...] = ()
    links: Mapping[str, Tuple[Capsule, ...]] = field(default_factory=dict)

    @property
    def gripper(self) -> Gripper:
        """The dimensions of its gripper, with where its arm stands.

        Raises:
            ConfigError: if its file gives none.
        """
        if self.hand is None:
            raise ConfigError(f"the robot's file gives no measures of a hand under '{SECTION}'")
        return replace(self.hand, base=self.origin)

    @property
    def distances(self) -> Tuple[float, float]:
        """Its reach: least and greatest distance from its origin, metres.

        Raises:
            ConfigError: if its file gives none.
        """
        if self.reach is None:
            raise ConfigError(f"the robot's file gives no reach under '{SECTION}'")
        return self.reach

    def standing(self, name: str, stand: Stand) -> "RobotBody":
        """Return the body as a robot of a scene has it.

        Args:
            name: of the robot.
            stand: where it stands, and whose body it has.

        Returns:
            The body at its place, with the arm's name before its frames where they are those of another robot.
        """
        before = prefix_of(name, stand)
        frames, (left, right) = self.frames, self.frames.fingers
        if before and self.kind == "base":
            frames = replace(frames, base="")
        elif before:
            told = (frames.tool or f"{stand.body}_hand_tcp", left or f"{stand.body}_leftfinger",
                    right or f"{stand.body}_rightfinger")
            frames = replace(frames, tool=before + told[0], fingers=(before + told[1], before + told[2]))
        x, y, _ = stand.pose.apply((*self.origin, 0.0))
        return replace(self, frames=frames, origin=(x, y),
                       links={before + frame: capsules for frame, capsules in self.links.items()})

    def able(self, uses: Mapping[str, SkillUse]) -> Mapping[str, SkillUse]:
        """Select the actions whose skill this body has.

        Args:
            uses: the skill that each action of a domain uses.

        Returns:
            The subset; all of them if the body lists no skills.
        """
        return {action: use for action, use in uses.items() if not self.skills or use.skill in self.skills}


def prefix_of(name: str, stand: Stand) -> str:
    """Return what stands before the frames of an arm that has the body of another.

    Args:
        name: of the arm.
        stand: whose body it has.

    Returns:
        The prefix; empty for an arm with a body of its own.
    """
    return "" if stand.body == name else f"{name}/"


def read_body(file: Union[str, Path]) -> RobotBody:
    """Read the body that a robot's file describes.

    Args:
        file: path of the robot's YAML file.

    Returns:
        The body, with its skills checked against the registered ones.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    values, positions = read_yaml(file)
    body = read_settings(RobotBody, values.get(SECTION, {}), positions, (SECTION,))
    known = extensions().skills
    for index, name in enumerate(body.skills):
        if name not in known:
            raise positions.error((SECTION, "skills", index), known.unknown(name))
        if known.get(name).robot != body.kind:
            raise positions.error((SECTION, "skills", index), f"the skill '{name}' is one of the kind "
                                                              f"{known.get(name).robot}, and this is of the "
                                                              f"kind {body.kind}")
    return body


def described(name: str, beside: Union[str, Path, None] = None) -> Optional[RobotBody]:
    """Find the body of a robot by its name.

    Args:
        name: name of the robot, and of its file.
        beside: another configuration file; ``robots`` next to its folder is looked through first.

    Returns:
        The body; ``None`` if no file of that name describes one.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    try:
        file = config_file("robots", name, beside=beside)
    except ConfigError:
        return None
    return read_body(file) if SECTION in read_yaml(file)[0] else None


def body_of(file: Union[str, Path], name: str, kind: Literal["arm", "base"] = "arm") -> RobotBody:
    """Return the body for a driver: from the driver's own file, else from the file of the robot's name, else
    the default of its kind.

    Args:
        file: the driver's YAML file.
        name: name of the robot.
        kind: the kind of body that the driver expects.

    Returns:
        The body; an arm's has a reach and a hand.

    Raises:
        ConfigError: with file, line, key and what is valid; also for a body of another kind, or an arm without
            a reach or a hand.
    """
    values, positions = read_yaml(file)
    own = SECTION in values
    body = (read_body(file) if own else described(name, file)) or RobotBody(kind)
    if body.kind != kind:
        raise positions.error((SECTION,), f"{name} is of the kind {body.kind}, and this driver is for the kind {kind}")
    missing = [key for key in ("reach", "hand") if kind == "arm" and getattr(body, key) is None]
    if missing:
        raise positions.error((SECTION,) if own else (),
                              f"{name} has no {' and no '.join(missing)}: give it under '{SECTION}', here "
                              f"or in config/robots/{name}.yaml")
    return body


def bodies_of(scene: Scene) -> Dict[str, RobotBody]:
    """Return the bodies of all robots of a scene; a robot without a file gets the default of its kind.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.

    Returns:
        The bodies by robot name.

    Raises:
        ConfigError: with file, line, key and what is valid; also for a robot of another kind than in the
            scene.
    """
    bases = scene.arena.starts if scene.arena is not None else {}
    found: Dict[str, RobotBody] = {}
    for name in scene.robots:
        usual = RobotBody("base") if name in bases else RobotBody("arm")
        stand = scene.stands.get(name, Stand(scene.body_of(name), Pose((0.0, 0.0, 0.0))))
        found[name] = (described(stand.body, scene.source or None) or usual).standing(name, stand)
        if found[name].kind != usual.kind:
            raise ConfigError(f"config/robots/{stand.body}.yaml says that {stand.body} is of the kind "
                              f"{found[name].kind}, and the scene {scene.name} has it as {usual.kind}")
    return found
