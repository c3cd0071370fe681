"""A scene in a running Gazebo: its models, their first poses, and putting everything back."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Dict, Optional, Sequence, Union
from xml.etree import ElementTree

from hicrisp_core.errors import ConfigError, HicrispError
from hicrisp_core.scene import Scene, SceneFault, load_scene
from hicrisp_core.scene.floor_plan import Start
from hicrisp_core.time import Deadline, wait_until

from hicrisp_gazebo.faults import Faults
from hicrisp_gazebo.model_names import NamedModels
from hicrisp_gazebo.port import Answer, Gazebo, Refusal
from hicrisp_gazebo.scene_models import Model, models_of
from hicrisp_gazebo.wares import with_wares

_FOOTPRINT = ("chassis_collision", "chassis_visual")
_TRAY = ("tray_collision", "tray_visual", "tray_column_visual")


def agv_model(file: Union[str, Path], name: str, start: Start) -> Model:
    """The model of a base where it starts.

    Args:
        file: SDF with one model; its shapes named ``chassis_*`` are cylinders that carry the footprint's
            radius; those named ``tray_*`` are taken out where the base has no tray.

    Raises:
        ConfigError: when the file cannot be used.
    """
    try:
        root = ElementTree.parse(str(file)).getroot()
    except (OSError, ElementTree.ParseError) as error:
        raise ConfigError(f"the model {file} cannot be read: {error}") from error
    model = root.find("model")
    if model is None:
        raise ConfigError(f"the file {file} holds no model")
    shapes = [shape for shape in model.iter() if shape.get("name") in _FOOTPRINT]
    radii = [shape.find("geometry/cylinder/radius") for shape in shapes]
    if len(radii) != len(_FOOTPRINT) or None in radii:
        raise ConfigError(f"the model {file} has no cylinders named {' and '.join(_FOOTPRINT)}")
    for radius in radii:
        if radius is not None:
            radius.text = f"{start.radius:.9g}"
    if not start.tray:
        for link in model.findall("link"):
            for shape in [shape for shape in link if shape.get("name") in _TRAY]:
                link.remove(shape)
    model.set("name", name)
    return Model(name, ElementTree.tostring(root, encoding="unicode"), start.pose)


_SETTLED, _PATIENCE = 0.4, 5.0
"""Seconds of Gazebo's clock after which a world that was put back is looked at, and of wall time for them."""
_FALLEN = 0.5
"""Metres that an object which was put at rest may be lower by then: it falls 0.8 m where nothing bears it."""


class GazeboError(HicrispError):
    """Gazebo did not do what a scene needs; the message says what, and what Gazebo said."""


class GazeboWorld:
    """Puts a scene into Gazebo and keeps it as it should be.

    Args:
        base: SDF file of the bases of scenes with an arena; ``None`` where somebody else spawns them.
        clock: seconds of Gazebo's clock.
        scatter: tells the eyes the standard deviation of what they see, metres.
        namespace: of the camera's topics.
    """

    def __init__(
        self, gazebo: Gazebo, scene: Scene, seed: int, base: Optional[Path], clock: Callable[[], float],
        scatter: Callable[[float], None], namespace: str = "",
    ) -> None:
        self.scene = with_wares(scene, seed)
        self._namespace = namespace
        self._gazebo = NamedModels(gazebo)
        self._base = base
        self._clock = clock
        self._spawned: Dict[str, str] = {}
        """The SDF of each model that was spawned here."""
        self.faults = Faults(self._gazebo, self.scene, seed, clock, scatter)

    def begin(self) -> None:
        """Put the scene into the world for the first time.

        Raises:
            GazeboError: when Gazebo refuses or is silent.
        """
        models = self._models(self.scene)
        self._must(self._gazebo.replace_leftovers(models), "make room for the scene")
        for model in models.values():
            self._stand(model)
        self._spoil()

    def reset(self, scene: Optional[Scene], seed: int) -> None:
        """Put everything back, or begin with another scene; a random layout is drawn with the seed. Then look
        whether all of it is there and stands.

        Raises:
            GazeboError: when Gazebo refuses or is silent, or the world is not as it should be.
        """
        loaded = with_wares(
            scene if scene is not None else load_scene(self.scene.source or self.scene.name, seed), seed)
        models = self._models(loaded)
        # The physics stands still meanwhile: an object may be put where another one still is.
        with self._gazebo.paused():
            for name in [name for name in self._spawned if name not in models]:
                self._must(self._gazebo.delete(name), f"take {name} away", Refusal.MISSING)
                del self._spawned[name]
            for model in models.values():
                self._stand(model)
        self.scene = loaded
        self.faults.begin(loaded, seed)
        self._verify(models)
        self._spoil()

    def _verify(self, models: Dict[str, Model]) -> None:
        """Look at the world once its physics has run for a moment: a refusal is not all that can go wrong."""
        end = self._clock() + _SETTLED
        wait_until(lambda: self._clock() >= end, Deadline(_PATIENCE))
        listed = self._gazebo.models()
        self._must(listed, "say which models it has")
        for name, model in models.items():
            pose = self._gazebo.pose(name).pose
            if name not in listed.models or pose is None:
                raise GazeboError(f"the world is not whole after the reset: Gazebo has no {name}; reset it again")
            fallen = model.pose.position[2] - pose.position[2]
            if fallen > _FALLEN:
                raise GazeboError(f"the world is not whole after the reset: {name} has fallen by {fallen:.1f} m; "
                                  "reset it again")

    def inject(self, kind: str, target: str = "", magnitude: Sequence[float] = (), count: int = 0) -> str:
        """Make something go wrong; see ``faults.kinds_of``. The answer says what was done."""
        return self.faults.inject(SceneFault(kind, target,
                                             tuple(float(value) for value in magnitude), int(count)))

    def _spoil(self) -> None:
        for fault in self.scene.faults:
            self.faults.inject(fault)

    def _models(self, scene: Scene) -> Dict[str, Model]:
        models = models_of(scene, self._namespace)
        if scene.arena is not None and self._base is not None:
            for name, start in scene.arena.starts.items():
                models[name] = agv_model(self._base, name, start)
        return models

    def _stand(self, model: Model) -> None:
        """Make a model stand where it should: moved where it is the same one, else spawned afresh."""
        if self._spawned.get(model.name) == model.sdf:
            answer = self._gazebo.place(model.name, model.pose)
            if answer.refusal is not Refusal.MISSING:
                self._must(answer, f"put {model.name} back")
                return
        elif model.name in self._spawned:
            self._must(self._gazebo.delete(model.name), f"take {model.name} away", Refusal.MISSING)
        self._spawned.pop(model.name, None)
        answer = self._gazebo.spawn(model)
        if answer.refusal is Refusal.EXISTS:  # Somebody else's.
            answer = self._gazebo.spawn(model)
        self._must(answer, f"spawn {model.name}")
        self._spawned[model.name] = model.sdf

    @staticmethod
    def _must(answer: Answer, what: str, *forgiven: Refusal) -> None:
        if not answer.ok and answer.refusal not in forgiven:
            raise GazeboError(f"Gazebo did not {what}: {answer.message}")
