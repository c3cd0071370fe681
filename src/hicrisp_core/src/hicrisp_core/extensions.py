"""Everything that a configuration file can name and that is made in code, in one table; and how others add to
it.

The workspace's own entries are written as ``module:attribute`` and imported when they are first used, so the
ground floor knows the names without knowing what is built on it. A package of one's own adds entries through
a module with a function ``extend``, whose name the operator gives in the environment variable
``HICRISP_PLUGINS`` (several with commas between them). No configuration file, task or model can name a
module.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from importlib import import_module
from typing import Any, Mapping

from hicrisp_core.errors import ConfigError
from hicrisp_core.registry import Lazy, Registry

PLUGINS_VARIABLE = "HICRISP_PLUGINS"
_KINDS = "hicrisp_core.ports.kinds"


@dataclass(frozen=True)
class Extensions:
    """The registries.

    Args:
        skills: how a robot carries out a command; ``skill`` of a domain's action.
        targets: how a command gets its target pose; ``decode`` of a domain's action.
        tests: how a fact is seen from poses; ``detect`` of a domain's predicate.
        rungs: the corrector's ways to answer a failure; ``rungs`` of a policy.
        shapes: outlines and solids of things; ``shape`` of a scene's thing.
        worlds: what a scene may hold and what moves it; ``world`` of a scene.
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
        skills=Registry("skill", f"{_KINDS}:Skill", {
            "pick": Lazy("hicrisp_core.robot.skills_arm:PICK"),
            "place": Lazy("hicrisp_core.robot.skills_arm:PLACE"),
            "home": Lazy("hicrisp_core.robot.skills_arm:HOME"),
            "clear_view": Lazy("hicrisp_core.robot.skills_arm:CLEAR_VIEW"),
            "move_tool": Lazy("hicrisp_core.robot.skills_arm:MOVE_TOOL"),
            "go_to": Lazy("hicrisp_core.robot.skills_base:GO_TO"),
            "visit": Lazy("hicrisp_core.robot.skills_base:GO_TO"),
            "carry_to": Lazy("hicrisp_core.robot.skills_base:CARRY_TO"),
            "dock": Lazy("hicrisp_core.robot.skills_base:DOCK"),
            "wait": Lazy("hicrisp_core.robot.skills_base:WAIT"),
        }),
        targets=Registry("target rule", f"{_KINDS}:TargetRule", {
            name: Lazy(f"hicrisp_core.body.targets:{name.upper()}")
            for name in ("free", "apart", "on", "in", "next_to", "around", "left_of", "right_of",
                         "in_front_of",
                         "behind", "within", "station")}),
        tests=Registry("detector test", f"{_KINDS}:FactTest", {
            name: Lazy(f"hicrisp_core.detector.fact_tests:{name.upper()}")
            for name in ("holding", "on", "in", "near", "direction", "lying", "at", "docked", "aboard")}),
        rungs=Registry("rung", f"{_KINDS}:RungKind", {
            name: Lazy(f"hicrisp_core.corrector.{module}:{name.upper()}")
            for name, module in (
                ("repair", "ladder"), ("offset", "ladder"), ("help", "ladder"), ("memory", "remembered"),
                ("llm_step", "ladder"), ("llm_replan", "ladder"))}),
        shapes=Registry("shape", "hicrisp_core.model.geometry:Shape", {
            name: Lazy(f"hicrisp_core.model.geometry:{name.upper()}")
            for name in ("box", "cylinder", "bowl", "surface", "region")}),
        worlds=Registry("world", f"{_KINDS}:World", {
            name: Lazy(f"hicrisp_core.scene.loader:{name.upper()}")
            for name in ("embedded", "arena", "lab", "symbolic", "virtualhome")}),
        backends=Registry("backend", "hicrisp_core.llm.backends:Backend", {
            "openai": Lazy("hicrisp_core.llm.backends:OPENAI"),
            "embedded": Lazy("hicrisp_core.llm.embedded:EMBEDDED")}),
        drivers=Registry("driver", f"{_KINDS}:Driver", {
            "moveit": Lazy("hicrisp_moveit.settings:DRIVER"),
            "move_base": Lazy("hicrisp_move_base.settings:DRIVER"),
            "embedded_arm": Lazy("hicrisp_sim.settings:DRIVER"),
            "embedded_base": Lazy("hicrisp_sim.agv.settings:DRIVER"),
        }),
        grippers=Registry("gripper", "hicrisp_moveit.gripper_port:GripperKind", {
            "gripper_command": Lazy("hicrisp_moveit.grippers:COMMAND"),
            "franka": Lazy("hicrisp_moveit.grippers:FRANKA"),
            "group": Lazy("hicrisp_moveit.grippers:GROUP"),
            "auto": Lazy("hicrisp_moveit.grippers:AUTO"),
        }),
    )


def extensions() -> Extensions:
    """Return the standard entries with those of the modules named in ``HICRISP_PLUGINS``.

    Raises:
        ConfigError: if such a module cannot be imported, has no ``extend``, or adds an invalid entry.
    """
    return _extended(os.environ.get(PLUGINS_VARIABLE, ""))


@lru_cache(maxsize=8)
def _extended(plugins: str) -> Extensions:
    found = standard_extensions()
    for name in filter(None, (part.strip() for part in plugins.split(","))):
        try:
            module = import_module(name)
        except (ImportError, SyntaxError) as error:
            raise ConfigError(f"{PLUGINS_VARIABLE} names '{name}', which cannot be imported: " f"{error}") from error
        extend = getattr(module, "extend", None)
        if not callable(extend):
            raise ConfigError(f"{PLUGINS_VARIABLE} names '{name}', which has no function extend(extensions)")
        try:
            found = extend(found)
        except ConfigError as error:
            raise ConfigError(f"{name}: {error}") from error
        if not isinstance(found, Extensions):
            raise ConfigError(f"{name}.extend returned {type(found).__name__} instead of the extensions; "
                              "return extensions.adding(...)")
    return found
