"""The skills that one robot has: those of its kind, by the names of the domain's actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Mapping

from hicrisp_core.domain.schema import SkillUse
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Command, Outcome
from hicrisp_core.ports.kinds import Skill


@dataclass(frozen=True)
class BoundSkill:
    """A skill as one action uses it."""

    skill: Skill
    use: SkillUse

    def item(self, command: Command) -> str:
        """The name of the thing that a command handles; empty when it handles none."""
        return command.argument(self.use.item) if self.use.item else ""

    def run(self, work: Any, command: Command) -> Outcome:
        """Carry out a command; ``work`` is an arm's attempt or a base's drive."""
        return self.skill.run(work, command)


def skills_of(kind: str, uses: Mapping[str, SkillUse]) -> Dict[str, BoundSkill]:
    """The skills of a kind of robot (``arm`` or ``base``), by action; skills of other kinds are left out.
    Those that every robot of the kind has go by their own names.

    Raises:
        ConfigError: for a skill that nobody has defined, with those that there are.
    """
    known = extensions().skills
    every: Dict[str, Skill] = {name: known.get(name) for name in known}
    found = {name: BoundSkill(skill, SkillUse(name)) for name, skill in every.items()
             if skill.own and skill.robot == kind}
    for action, use in uses.items():
        skill: Skill = known.get(use.skill)
        if skill.robot == kind:
            found[action] = BoundSkill(skill, use)
    return found
