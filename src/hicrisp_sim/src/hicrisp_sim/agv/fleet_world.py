"""Several bases in one arena in one process, each with a stack of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event
from typing import Callable, Dict, Mapping, Optional, Sequence, TypeVar, Union

from hicrisp_core.domain import Domain
from hicrisp_core.ports.kinds import BASE
from hicrisp_core.scene import Scene, load_scene

from hicrisp_sim.agv.fleet import Fleet
from hicrisp_sim.agv.simulation import AgvSimulation
from hicrisp_sim.agv.world import AgvWorld
from hicrisp_sim.robot_files import robots_of

_Found = TypeVar("_Found")
_TOGETHER = 60.0
"""Wall seconds in which all bases are ready to begin."""


class FleetWorld:
    """The bases of an arena as worlds with one physics: each has its own port, its own eyes and its own faults.

    Args:
        scene: a scene with an arena, or the path or name of one.
        seed: draws the layout and the lidars' noise.
        rate: simulated seconds a second; 0 for as fast as can be.
        domain: the domain of the commands; the scene's own by default.
    """

    def __init__(self, scene: Union[Scene, str, Path], seed: int = 0, rate: float = 0.0,
                 domain: Optional[Domain] = None) -> None:
        self.scene = scene if isinstance(scene, Scene) else load_scene(scene, seed)
        self.bases: Dict[str, AgvWorld] = {}
        """The worlds by the name of their base."""
        for number, name in enumerate(robots_of(self.scene, BASE)):
            self.bases[name] = AgvWorld(self.scene.alone(name), seed + 1000 * number, rate, domain=domain,
                                        beside=next(iter(self.bases.values()), None))
        self._forget_each_other()

    @property
    def simulation(self) -> AgvSimulation:
        """The physics of all of them."""
        return next(iter(self.bases.values())).simulation

    @property
    def fleet(self) -> Fleet:
        """What the bases tell each other."""
        return next(iter(self.bases.values())).base.fleet

    def inject(self, kind: str, target: str = "", magnitude: Sequence[float] = (), count: int = 0) -> str:
        """Inject a fault; see ``AgvFaults.KINDS``.

        Args:
            kind: kind of the fault.
            target: name of an obstacle, or of the base that has the fault; the first one's by default.
            magnitude: numbers that the kind requires.
            count: not used; each of these faults occurs once.

        Returns:
            What was done, as a sentence.

        Raises:
            ConfigError: for a kind or a target that is not known, with those that are.
        """
        world = self.bases.get(target, next(iter(self.bases.values())))
        return world.inject(kind, "" if target in self.bases else target, magnitude, count)

    def reset(self, scene: Union[Scene, str, Path, None] = None, seed: int = 0) -> None:
        """Reset the world, or switch to another scene with the same bases.

        Args:
            scene: the scene, its file or name; ``None`` keeps the current one.
            seed: of the random layout.
        """
        first, *others = self.bases.values()
        first.reset(scene, seed)
        self.scene = first.scene
        for number, other in enumerate(others, 1):
            other.load(self.scene, seed + 1000 * number)
        self._forget_each_other()

    def _forget_each_other(self) -> None:
        """Who looked about before the others had told where they are took them for obstacles."""
        for world in self.bases.values():
            world.base.clear_costmaps()

    def together(self, acts: Mapping[str, Callable[[], _Found]]) -> Dict[str, _Found]:
        """Let bases act at once: time passes only while each of them lets it, so that nobody's thinking takes any.

        Who has done all rests, and makes room for the others.

        Args:
            acts: what each base does, by its name.

        Returns:
            What each act returned, by the name of the base.
        """
        ready, ended = Barrier(len(acts)), {name: Event() for name in acts}

        def alone(name: str) -> _Found:
            with self.simulation.moving():
                ready.wait(_TOGETHER)
                try:
                    found = acts[name]()
                finally:
                    ended[name].set()
                while not all(each.is_set() for each in ended.values()):
                    self.bases[name].base.rest()
            return found

        with ThreadPoolExecutor(len(acts), "base") as pool:
            running = {name: pool.submit(alone, name) for name in acts}
            return {name: each.result() for name, each in running.items()}
