"""The keys of configuration files, from the classes that read them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, is_dataclass
from importlib import import_module
from typing import Any, Dict, List, Mapping, Tuple, cast

from hicrisp_core.config.settings import is_fixed

from reference.docstrings import fields_told, summary
from reference.key_types import anchor, hints, in_words, nested, usual
from reference.markdown import cell, page, table
from reference.problems import Problems


@dataclass(frozen=True)
class Section:
    """A part of a kind of file.

    Args:
        title: the heading.
        reader: the class that reads it, as ``module:Class``.
        renamed: the keys of the file for fields that are called otherwise.
        hidden: fields that no file gives.
        described: descriptions of keys whose class has none; such a section is no target of links.
    """

    title: str
    reader: str
    renamed: Mapping[str, str] = field(default_factory=dict)
    hidden: Tuple[str, ...] = ()
    described: Mapping[str, str] = field(default_factory=dict)


_CORE = "hicrisp_core"
_EXTENDS = {"extends": "files of the same kind that this one adds to, by name; where two say the same key, "
                       "the later one counts"}
PAGES: Dict[str, Tuple[str, str, Tuple[Section, ...]]] = {
    "policy": (
        "Policy keys",
        "A policy, `config/policies/NAME.yaml`, says which corrections are on, what a task may use and "
        "who plans. Choose one with `policy:=NAME` or `scripts/demo --policy NAME`. `description` is for "
        "people.",
        (Section("Policy", f"{_CORE}.policy.policy:Policy", {"name": "policy"}),
         Section("Policies that extend others", f"{_CORE}.config.files:_Extending", described=_EXTENDS))),
    "scene": (
        "Scene keys",
        "A scene, `config/scenes/NAME.yaml`, says what there is at first. Its `world` decides which of "
        "these sections it has: `embedded` has a table, `arena` a floor for a base, `lab` both, `symbolic` "
        "facts alone, and `virtualhome` a scene graph. Lengths are metres, masses kilograms, angles in files "
        "degrees.",
        (Section("Every scene", f"{_CORE}.scene.scene:Heading"),
         Section("Scenes with poses", f"{_CORE}.scene.scene:Tuning"),
         Section("A table", f"{_CORE}.scene.table:TablePart"),
         Section("Who stands at the table", f"{_CORE}.scene.table:NamedRobots"),
         Section("An arena", f"{_CORE}.scene.arena:ArenaPart"),
         Section("A wall of an arena", f"{_CORE}.scene.floor_plan:Wall",
                 {"start": "from", "end": "to"}),
         Section("A robot with its place", f"{_CORE}.scene.arena:RobotEntry"),
         Section("Facts alone", f"{_CORE}.scene.symbolic:SymbolicPart"),
         Section("An object among facts", f"{_CORE}.scene.symbolic:SymbolicObject"),
         Section("A scene graph", f"{_CORE}.scene.symbolic:GraphPart"))),
    "domain": (
        "Domain keys",
        "A domain, `config/domains/NAME.yaml`, says which types of objects there are, which facts can hold, "
        "and what robots can do. [Domains, policies and scenes](../domains.md) explains how they work "
        "together.",
        (Section("Domain", f"{_CORE}.domain.entries:DomainFile"),
         Section("Action", f"{_CORE}.domain.entries:ActionEntry"),
         Section("Additions to an action of an extended domain", f"{_CORE}.domain.entries:AdditionEntry"),
         Section("Roles", f"{_CORE}.domain.roles:Roles"),
         Section("Domains that extend others", f"{_CORE}.config.files:_Extending", described=_EXTENDS))),
    "robot": (
        "Robot keys",
        "A robot, `config/robots/NAME.yaml`, has a `body`, and a section of its driver. The "
        "[tutorial](../tutorials/own_robot.md) begins with a short one.",
        (Section("body", f"{_CORE}.robot.description:RobotBody"),
         Section("An arm behind MoveIt", "hicrisp_moveit.settings:ArmFile"),
         Section("A base: places and limits", f"{_CORE}.robot.landmarks:BaseSettings"),
         Section("move_base", "hicrisp_move_base.settings:MoveBaseSettings"),
         Section("embedded_arm", "hicrisp_sim.settings:ArmSettings", hidden=("name",)),
         Section("embedded_base", "hicrisp_sim.agv.settings:AgvSettings", hidden=("name",)))),
    "camera": (
        "Camera and tag keys",
        "A depth camera is described in `config/cameras/NAME.yaml`, the AprilTags on objects in "
        "`config/tags/NAME.yaml`.",
        (Section("Camera", f"{_CORE}.scene.cameras:CameraSettings", hidden=("name",)),
         Section("Tags", f"{_CORE}.scene.tags:_TagFile"))),
    "llm": (
        "Language model keys",
        "`config/llm/NAME.yaml` says which model is asked and how. Choose one with `llm:=NAME`. "
        "`description` is for people. Keys (secrets) belong into the environment or a file of mode 0600, "
        "never into these files.",
        (Section("Language model", f"{_CORE}.llm.settings:LlmSettings", {"name": "llm"}),)),
    "safety": (
        "Safety keys",
        "`config/safety.yaml` bounds where an arm's tool may be sent. Read [Safety](../safety.md) first.",
        (Section("Safety", f"{_CORE}.robot.safety:_SafetyFile"),
         Section("workspace", f"{_CORE}.robot.safety:SafetyLimits"))),
}


_ROW = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)


def key_pages(problems: Problems) -> Dict[str, str]:
    """Write a page for each kind of configuration file.

    Args:
        problems: collects what has no description.

    Returns:
        Markdown by file name.
    """
    return {f"{name}.md": _page(title, intro, sections, problems)
            for name, (title, intro, sections) in PAGES.items()}


def count_keys(pages: Mapping[str, str]) -> int:
    """Count the keys that configuration files may have; one in several places of a kind of file, such as ``position``
    in a scene, counts once.

    Args:
        pages: the pages of all kinds of files.

    Returns:
        Their number.
    """
    return sum(len(set(_ROW.findall(text))) for text in pages.values())


def _page(title: str, intro: str, sections: Tuple[Section, ...], problems: Problems) -> str:
    written: List[type] = []
    texts: List[str] = []
    for section in sections:
        module, _, name = section.reader.partition(":")
        kind = getattr(import_module(module), name)
        assert is_dataclass(kind), f"{section.reader} is no class of settings"
        if kind not in written:
            texts += _with_nested(section, kind, written, problems)
    return page(title, intro, *texts)


def _with_nested(section: Section, kind: type, written: List[type], problems: Problems) -> List[str]:
    """A section, and one for each class of settings within it that was not written yet."""
    written.append(kind)
    texts = [_section(section, kind, problems)]
    types = hints(kind)
    for each in fields(cast(Any, kind)):
        for inner in () if is_fixed(each) else nested(types[each.name]):
            if inner not in written:
                # The words of the class's name, the ending that all of them share left out.
                first, *others = re.findall(r"[A-Z][a-z0-9]*", inner.__name__)
                words = others[:-1] if others and others[-1] in ("Entry", "Settings") else others
                title = " ".join((first, *map(str.lower, words)))
                texts += _with_nested(Section(title, ""), inner, written, problems)
    return texts


def _section(section: Section, kind: type, problems: Problems) -> str:
    told, types = {**fields_told(kind), **section.described}, hints(kind)
    rows = []
    for each in fields(cast(Any, kind)):
        if each.name in section.hidden or is_fixed(each):
            continue
        key = section.renamed.get(each.name, each.name)
        text = problems.text(f"{kind.__module__}.{kind.__name__}.{each.name}", told.get(each.name, ""))
        rows.append((f"`{key}`", in_words(types[each.name]), usual(each), cell(text)))
    heading = f"## {section.title}" if section.described else f"({anchor(kind)})=\n## {section.title}"
    return "\n\n".join((heading, summary(kind).replace("``", "`"),
                        table(("key", "what may stand there", "default", "meaning"), rows)))
