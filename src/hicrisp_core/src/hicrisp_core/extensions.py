"""Everything that a configuration file can name and that is made in code, in one table; and how others add to
it.

What lies above this floor is named by its place, ``module:attribute``, and imported when it is first used. A
package of one's own adds entries through a function ``extend(extensions)``, which it declares as an entry point
of the group ``hicrisp``; a module that is not installed is named by the operator in the environment variable
``HICRISP_PLUGINS`` (several with commas between them). No configuration file, task or model can name a module.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from importlib import import_module, metadata
from types import MappingProxyType
from typing import Any, Generic, Iterator, Mapping, Tuple, TypeVar, Union

from hicrisp_core.errors import ConfigError, did_you_mean
from hicrisp_core.model.shapes import SHAPES, Shape
from hicrisp_core.ports.kinds import Driver, FactTest, PerceptionSource, RungKind, Skill, TargetRule, World

PLUGINS_VARIABLE = "HICRISP_PLUGINS"
ENTRY_POINTS = "hicrisp"
Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Lazy:
    """A value that is imported when it is first asked for: ``module:attribute``."""

    place: str

    @cached_property
    def value(self) -> Any:
        """What stands there.

        Raises:
            ConfigError: if the module or the attribute does not exist.
        """
        module, _, attribute = self.place.partition(":")
        try:
            return getattr(import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise ConfigError(f"cannot load {self.place}: {error}") from error


@dataclass(frozen=True)
class Registry(Generic[Kind]):
    """Names and what they stand for; never changed, only copied with more in it.

    Args:
        sort: what its entries are, in one or two words, for messages: ``skill``.
        of: the class of its entries.
        entries: the entries by name; those of the workspace itself are imported when they are asked for.
    """

    sort: str
    of: Union[type, Lazy]
    entries: Mapping[str, Union[Kind, Lazy]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "entries", MappingProxyType(dict(self.entries)))

    @property
    def names(self) -> Tuple[str, ...]:
        """Return the names in the order of registration."""
        return tuple(self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def get(self, name: str) -> Kind:
        """Return the entry of a name, importing it if needed.

        Args:
            name: the name that a configuration file uses.

        Returns:
            The entry, an instance of the registry's class.

        Raises:
            ConfigError: if the name is unknown (the message lists the valid ones) or the entry has the wrong class.
        """
        if name not in self.entries:
            raise ConfigError(self.unknown(name))
        value: Any = self.entries[name]
        wanted: Any = self.of
        value, wanted = (each.value if isinstance(each, Lazy) else each for each in (value, wanted))
        if not isinstance(value, wanted):
            raise ConfigError(f"the {self.sort} '{name}' must be a {wanted.__name__}, not {type(value).__name__}")
        return value

    def unknown(self, name: str) -> str:
        """Word the error for an unknown name.

        Args:
            name: the name that was not found.

        Returns:
            A message with the closest valid name and the list of all.
        """
        valid = ", ".join(self.entries) or "none"
        return f"unknown {self.sort} '{name}'{did_you_mean(name, self.entries)}; valid are: {valid}"

    def adding(self, entries: Mapping[str, Kind]) -> "Registry[Kind]":
        """Return a copy with further entries; the registry itself does not change.

        Args:
            entries: the new entries by name.

        Returns:
            The extended registry.

        Raises:
            ConfigError: if a name is taken or an entry has the wrong class.
        """
        taken = sorted(set(entries) & set(self.entries))
        if taken:
            raise ConfigError(f"there is a {self.sort} '{taken[0]}' already; choose another name")
        more: Registry[Kind] = Registry(self.sort, self.of, {**self.entries, **entries})
        for name in entries:
            more.get(name)
        return more


@dataclass(frozen=True)
class Extensions:
    """The registries.

    Args:
        skills: how a robot carries out a command; ``skill`` of a domain's action.
        targets: how a command gets its target pose; ``decode`` of a domain's action.
        tests: how a fact is seen from poses; ``detect`` of a domain's predicate.
        rungs: the corrector's ways to answer a failure; ``rungs`` of a policy.
        shapes: outlines and solids of objects; ``shape`` of a scene's object.
        worlds: what a scene may hold and what moves it; ``world`` of a scene.
        sources: what recognises objects in a camera's images; ``perception`` of a scene.
        backends: what asks a language model; ``backend`` of a file of ``config/llm``.
        drivers: what stands between a robot and the workspace; the section of a robot's file that is its own.
        grippers: how the fingers of an arm behind MoveIt are moved; ``kind`` of a robot's ``gripper``.
    """

    skills: Registry[Any]
    targets: Registry[Any]
    tests: Registry[Any]
    rungs: Registry[Any]
    shapes: Registry[Any]
    worlds: Registry[Any]
    sources: Registry[Any]
    backends: Registry[Any]
    drivers: Registry[Any]
    grippers: Registry[Any]

    def adding(self, **entries: Mapping[str, Any]) -> "Extensions":
        """Return a copy with further entries: ``adding(skills={"push": PUSH})``.

        Args:
            entries: for each field of this class, the new entries by name.

        Returns:
            The extended registries.

        Raises:
            ConfigError: if a registry is unknown, a name is taken, or an entry has the wrong class.
        """
        known = [entry.name for entry in fields(self)]
        for name in entries:
            if name not in known:
                raise ConfigError(f"there is no registry '{name}'; there are: {', '.join(known)}")
        return replace(self, **{name: getattr(self, name).adding(more) for name, more in entries.items()})


def standard_extensions() -> Extensions:
    """Return the registries with the workspace's own entries."""
    return Extensions(
        skills=Registry("skill", Skill, {
            "pick": Lazy("hicrisp_core.robot.skills_arm:PICK"),
            "place": Lazy("hicrisp_core.robot.skills_arm:PLACE"),
            "home": Lazy("hicrisp_core.robot.skills_arm:HOME"),
            "pour": Lazy("hicrisp_core.robot.skills_pour:POUR"),
            "open": Lazy("hicrisp_core.robot.skills_joint:OPEN"),
            "close": Lazy("hicrisp_core.robot.skills_joint:CLOSE"),
            "shake": Lazy("hicrisp_core.robot.skills_shake:SHAKE"),
            "slide": Lazy("hicrisp_core.robot.skills_slide:SLIDE"),
            "cut": Lazy("hicrisp_core.robot.skills_cut:CUT"),
            "screw": Lazy("hicrisp_core.robot.skills_screw:SCREW"),
            "unscrew": Lazy("hicrisp_core.robot.skills_screw:UNSCREW"),
            "clear_view": Lazy("hicrisp_core.robot.skills_arm:CLEAR_VIEW"),
            "move_tool": Lazy("hicrisp_core.robot.skills_arm:MOVE_TOOL"),
            "offer": Lazy("hicrisp_core.robot.skills_hand_over:OFFER"),
            "take": Lazy("hicrisp_core.robot.skills_hand_over:TAKE"),
            "release": Lazy("hicrisp_core.robot.skills_hand_over:RELEASE"),
            "go_to": Lazy("hicrisp_core.robot.skills_base:GO_TO"),
            "visit": Lazy("hicrisp_core.robot.skills_base:GO_TO"),
            "carry_to": Lazy("hicrisp_core.robot.skills_base:CARRY_TO"),
            "dock": Lazy("hicrisp_core.robot.skills_base:DOCK"),
            "wait": Lazy("hicrisp_core.robot.skills_base:WAIT"),
        }),
        targets=Registry("target rule", TargetRule, {
            "free": Lazy("hicrisp_core.body.targets:FREE"),
            "apart": Lazy("hicrisp_core.body.targets:APART"),
            "on": Lazy("hicrisp_core.body.targets:ON"),
            "in": Lazy("hicrisp_core.body.targets:IN"),
            "next_to": Lazy("hicrisp_core.body.targets:NEXT_TO"),
            "around": Lazy("hicrisp_core.body.targets:AROUND"),
            "left_of": Lazy("hicrisp_core.body.targets:LEFT_OF"),
            "right_of": Lazy("hicrisp_core.body.targets:RIGHT_OF"),
            "in_front_of": Lazy("hicrisp_core.body.targets:IN_FRONT_OF"),
            "behind": Lazy("hicrisp_core.body.targets:BEHIND"),
            "within": Lazy("hicrisp_core.body.targets:WITHIN"),
            "station": Lazy("hicrisp_core.body.targets:STATION"),
            "shared": Lazy("hicrisp_core.body.targets:SHARED"),
            "held_up": Lazy("hicrisp_core.body.targets:HELD_UP"),
        }),
        tests=Registry("detector test", FactTest, {
            "holding": Lazy("hicrisp_core.detector.fact_tests:HOLDING"),
            "on": Lazy("hicrisp_core.detector.fact_tests:ON"),
            "in": Lazy("hicrisp_core.detector.fact_tests:IN"),
            "near": Lazy("hicrisp_core.detector.fact_tests:NEAR"),
            "direction": Lazy("hicrisp_core.detector.fact_tests:DIRECTION"),
            "lying": Lazy("hicrisp_core.detector.fact_tests:LYING"),
            "too_wide": Lazy("hicrisp_core.detector.fact_tests:TOO_WIDE"),
            "at": Lazy("hicrisp_core.detector.fact_tests:AT"),
            "docked": Lazy("hicrisp_core.detector.fact_tests:DOCKED"),
            "aboard": Lazy("hicrisp_core.detector.fact_tests:ABOARD"),
            "reaches": Lazy("hicrisp_core.detector.fact_tests:REACHES"),
            "offered": Lazy("hicrisp_core.detector.fact_tests:OFFERED"),
            "opened": Lazy("hicrisp_core.detector.fact_tests:OPENED"),
            "shut": Lazy("hicrisp_core.detector.fact_tests:SHUT"),
            "witness": Lazy("hicrisp_core.detector.fact_tests:WITNESS"),
        }),
        rungs=Registry("rung", RungKind, {
            "repair": Lazy("hicrisp_core.corrector.rungs:REPAIR"),
            "offset": Lazy("hicrisp_core.corrector.offset:OFFSET"),
            "help": Lazy("hicrisp_core.corrector.rungs:HELP"),
            "memory": Lazy("hicrisp_core.corrector.remembered:MEMORY"),
            "llm_step": Lazy("hicrisp_core.corrector.rungs:LLM_STEP"),
            "llm_replan": Lazy("hicrisp_core.corrector.rungs:LLM_REPLAN"),
            "sequence": Lazy("hicrisp_core.corrector.sequence:SEQUENCE"),
        }),
        shapes=Registry("shape", Shape, SHAPES),
        worlds=Registry("world", World, {
            "embedded": Lazy("hicrisp_core.scene.loader:EMBEDDED"),
            "arena": Lazy("hicrisp_core.scene.loader:ARENA"),
            "lab": Lazy("hicrisp_core.scene.loader:LAB"),
            "symbolic": Lazy("hicrisp_core.scene.loader:SYMBOLIC"),
            "virtualhome": Lazy("hicrisp_core.scene.loader:VIRTUALHOME"),
            "libero": Lazy("hicrisp_core.scene.loader:LIBERO"),
        }),
        sources=Registry("perception source", PerceptionSource, {
            "shapes": Lazy("hicrisp_perception.sources:SHAPES"),
            "tags": Lazy("hicrisp_perception.sources:TAGS")}),
        backends=Registry("backend", Lazy("hicrisp_core.llm.models:Backend"), {
            "openai": Lazy("hicrisp_core.llm.models:OPENAI"),
            "embedded": Lazy("hicrisp_core.llm.embedded:EMBEDDED")}),
        drivers=Registry("driver", Driver, {
            "moveit": Lazy("hicrisp_moveit.settings:DRIVER"),
            "move_base": Lazy("hicrisp_move_base.settings:DRIVER"),
            "embedded_arm": Lazy("hicrisp_sim.settings:DRIVER"),
            "embedded_base": Lazy("hicrisp_sim.agv.settings:DRIVER"),
        }),
        grippers=Registry("gripper", Lazy("hicrisp_moveit.gripper_port:GripperKind"), {
            "gripper_command": Lazy("hicrisp_moveit.gripper_port:COMMAND"),
            "franka": Lazy("hicrisp_moveit.gripper_port:FRANKA"),
            "group": Lazy("hicrisp_moveit.gripper_port:GROUP"),
            "auto": Lazy("hicrisp_moveit.gripper_port:AUTO"),
        }),
    )


def extensions() -> Extensions:
    """Return the standard entries with those of installed packages and of the modules named in ``HICRISP_PLUGINS``.

    Raises:
        ConfigError: if such a module cannot be imported, has no ``extend``, or adds an invalid entry.
    """
    return _extended(os.environ.get(PLUGINS_VARIABLE, ""))


@lru_cache(maxsize=8)
def _extended(plugins: str) -> Extensions:
    found = standard_extensions()
    sources = {each.value: (f"the entry point {each.name} of {package.metadata['Name']}", each)
               for package in metadata.distributions() for each in package.entry_points
               if each.group == ENTRY_POINTS}
    for name in filter(None, (part.strip() for part in plugins.split(","))):
        sources.setdefault(f"{name}:extend",
                           (PLUGINS_VARIABLE, metadata.EntryPoint(name, f"{name}:extend", ENTRY_POINTS)))
    for value, (source, entry) in sources.items():
        name, _, function = value.partition(":")
        try:
            extend = entry.load()
        except (ImportError, SyntaxError) as error:
            raise ConfigError(f"{source} names '{name}', which cannot be imported: {error}") from error
        except AttributeError:
            extend = None
        if not callable(extend):
            raise ConfigError(f"{source} names '{name}', which has no function {function}(extensions)")
        try:
            found = extend(found)
        except ConfigError as error:
            raise ConfigError(f"{name}: {error}") from error
        if not isinstance(found, Extensions):
            raise ConfigError(f"{name}.extend returned {type(found).__name__} instead of the extensions; "
                              "return extensions.adding(...)")
    return found
