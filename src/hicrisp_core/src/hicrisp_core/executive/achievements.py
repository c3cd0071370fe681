"""What the finished commands made of the facts, and which of that is gone again."""

from __future__ import annotations

from typing import Dict, FrozenSet, List, Optional, Set, Tuple

from hicrisp_core.detector.relations import see
from hicrisp_core.domain.effects import apply_action, names_of, type_test
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Command, Feedback, FeedbackKind, Level, Relation, Unmet, WorldState


class Achievements:
    """The commands that were carried out, in the order in which they ended, and what they made."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._commands: List[Command] = []
        self._left: Set[str] = set()

    def add(self, commands: Tuple[Command, ...]) -> None:
        """Add commands that were carried out.

        Args:
            commands: in the order in which they ended.
        """
        self._commands.extend(commands)

    def ended(self, robot: str, ok: bool) -> None:
        """Record the end of a robot's step; after an abandoned one, transient facts no longer count.

        Args:
            robot: name of the robot.
            ok: whether the step was carried out.
        """
        (self._left.discard if ok else self._left.add)(robot)

    def made(self, world: WorldState, more: Tuple[Command, ...] = ()) -> FrozenSet[Relation]:
        """Return the achieved facts that no later command undid.

        Args:
            more: commands that count as carried out last.

        Returns:
            The facts.
        """
        return frozenset(self._makers(world, more))

    def undone(self, world: WorldState) -> Optional[Tuple[Command, Feedback]]:
        """Find an achieved fact that no longer holds.

        Args:
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            The command that achieves it again, with the feedback; ``None`` if all facts hold.
        """
        makers = self._makers(world)
        for fact in sorted(makers):
            maker = makers[fact]
            if self._passing(fact) and (maker.robot in self._left or maker is not self._last_of(maker.robot)):
                continue
            if not see(self._domain, fact, world).holds:
                return maker, Feedback(Level.HIGH, FeedbackKind.UNDONE, maker, subjects=(fact.subject,),
                                       unmet=(Unmet((fact,)),))
        return None

    def _makers(self, world: WorldState, more: Tuple[Command, ...] = ()) -> Dict[Relation, Command]:
        """Return each fact that was made and that no later command undid, with the command that made it."""
        facts: FrozenSet[Relation] = frozenset()
        maker: Dict[Relation, Command] = {}
        is_a = type_test(self._domain, world)
        for command in (*self._commands, *more):
            after = apply_action(self._domain.actions[command.action], names_of(command), facts, is_a)
            for fact in after - facts:
                maker[fact] = command
            facts = after
        return {fact: maker[fact] for fact in facts}

    def _last_of(self, robot: str) -> Optional[Command]:
        return next((command for command in reversed(self._commands) if command.robot == robot), None)

    def _passing(self, fact: Relation) -> bool:
        """Check whether a fact is only a means, as what a hand holds between two steps."""
        predicate = self._domain.predicates.get(fact.predicate)
        return predicate is not None and predicate.transient
