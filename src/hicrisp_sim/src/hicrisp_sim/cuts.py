"""What a blade cuts: two bodies of one piece are held together by layers. Each gives way to a blade that presses on it
and is drawn across its whole width; after the last one nothing holds them.
"""

from __future__ import annotations

from typing import Dict, FrozenSet, List, Tuple

import mujoco
import numpy as np
from hicrisp_core.model import Pose, Relation
from hicrisp_core.model.cutting import PART_OF, seam_between
from hicrisp_core.scene import Scene

from hicrisp_sim.mujoco_poses import placement

_LAYERS = 6
_PRESSED = 0.5
"""Newtons on a layer below which a stroke does not count."""
_SOLREF, _FRICTION = [0.004, 1.0], [0.2, 0.01, 0.001]


def pairs_of(scene: Scene) -> List[Tuple[str, str]]:
    """Return the bodies of a scene that are one piece.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.

    Returns:
        Pairs of names: what it is a part of last.
    """
    return sorted((fact.subject, fact.object) for fact in scene.facts if fact.predicate == PART_OF)


def add_layers(spec: mujoco.MjSpec, scene: Scene, contype: int, conaffinity: int) -> None:
    """Join the bodies that are one piece.

    Args:
        spec: the MuJoCo model under construction, with the bodies.
        scene: the initial objects, robots and facts, as its file describes them.
        contype: collision bits of the layers.
        conaffinity: what they collide with.
    """
    for part, whole in pairs_of(scene):
        item = scene.objects[whole]
        seam = seam_between(item, scene.objects[part])
        if seam is None or item.pose is None:
            continue
        at, (wide, deep, high) = item.pose.inverse().compose(seam.pose), seam.size
        for layer in range(_LAYERS):
            up = (0.5 - (layer + 0.5) / _LAYERS) * high
            spec.body(whole).add_geom(
                name=_name(part, layer), type=mujoco.mjtGeom.mjGEOM_BOX, mass=0.001, contype=contype,
                conaffinity=conaffinity, size=[wide / 2.0, deep / 2.0, high / _LAYERS / 2.0], friction=_FRICTION,
                rgba=[0.75, 0.6, 0.4, 1.0], group=1, **placement(at.compose(Pose((0.0, 0.0, up)))))
        weld = spec.add_equality(name=part, type=mujoco.mjtEq.mjEQ_WELD, name1=whole, name2=part,
                                 objtype=mujoco.mjtObj.mjOBJ_BODY)
        weld.solref = _SOLREF
        weld.data[:10], weld.data[10] = 0.0, 1.0  # They stay as they are.


def _name(part: str, layer: int) -> str:
    return f"{part}/layer{layer}"


class Cuts:
    """How far the pieces of a scene are cut.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.
    """

    def __init__(self, scene: Scene) -> None:
        self.pairs = pairs_of(scene)
        self._blades = [item.name for item in scene.things if item.form.blade]
        self._drawn = {(part, layer): 0.0 for part, _ in self.pairs for layer in range(_LAYERS)}
        """Metres by which a blade was drawn across each layer."""
        self._width = {part: scene.objects[whole].size[1] for part, whole in self.pairs}
        self._last: Dict[Tuple[str, int], float] = {}

    def bind(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Find the layers and blades in a model, and leave out what is cut.

        Args:
            model: the physics.
            data: its state.
        """
        self._is_edge, self._is_layer = np.zeros((2, model.ngeom), dtype=bool)
        self._is_edge[[model.geom(f"{name}/0").id for name in self._blades]] = True
        self._layers = {model.geom(_name(part, layer)).id: (part, layer) for part, layer in self._drawn}
        self._is_layer[list(self._layers)] = True
        self._wholes = {part: model.body(whole).id for part, whole in self.pairs}
        for part, layer in self._drawn:
            self._part(model, data, part, layer)

    def step(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Let blades cut for a step of the physics.

        Args:
            model: the physics, whose layers give way.
            data: the state after the step.
        """
        touched: Dict[Tuple[str, int], float] = {}
        force = np.zeros(6)
        geoms = data.contact.geom
        both = self._is_layer[geoms].any(axis=1) & self._is_edge[geoms].any(axis=1) if self.pairs else ()
        for number in np.flatnonzero(both):
            found = next(self._layers[geom] for geom in geoms[number] if geom in self._layers)
            edge = next(geom for geom in geoms[number] if self._is_edge[geom])
            mujoco.mj_contactForce(model, data, number, force)
            if force[0] > _PRESSED:
                whole = self._wholes[found[0]]
                across = data.xmat[whole].reshape(3, 3)[:, 1]
                touched[found] = float(across @ (data.geom_xpos[edge] - data.xpos[whole]))
        for found, at in touched.items():
            self._drawn[found] += abs(at - self._last.get(found, at))
            self._part(model, data, *found)
        self._last = touched

    def seen(self) -> FrozenSet[Relation]:
        """Return what is still one piece."""
        return frozenset(Relation(part, PART_OF, whole) for part, whole in self.pairs if not self._through(part))

    def _through(self, part: str) -> bool:
        return all(self._drawn[part, layer] >= self._width[part] for layer in range(_LAYERS))

    def _part(self, model: mujoco.MjModel, data: mujoco.MjData, part: str, layer: int) -> None:
        if self._drawn[part, layer] >= self._width[part]:
            geom = model.geom(_name(part, layer))
            geom.contype[:] = geom.conaffinity[:] = 0
            geom.rgba[3] = 0.0
        if self._through(part):
            data.eq_active[model.equality(part).id] = 0
