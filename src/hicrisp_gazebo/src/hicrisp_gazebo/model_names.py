"""Names of models in a Gazebo, none of which is given twice.

Gazebo 11 answers ``delete_model``, no longer lists the model, takes a new one of the same name, and some 0.2 s
later deletes by name once more: what was spawned is gone. So an object whose model was taken away comes back under
another name, ``bowl-2`` after ``bowl``; a ``-`` is in no object's own name.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Collection, Dict

from hicrisp_core.model import Pose, Vector

from hicrisp_gazebo.port import Answer, Gazebo, Refusal
from hicrisp_gazebo.scene_models import Model


def thing_of(model: str) -> str:
    """The object that a model stands for."""
    item, dash, number = model.rpartition("-")
    return item if dash and number.isdigit() else model


class NamedModels:
    """A Gazebo whose models are called by the objects that they stand for."""

    def __init__(self, gazebo: Gazebo) -> None:
        self._gazebo = gazebo
        self._models: Dict[str, str] = {}
        """The name of the model of each object."""
        self._given: Dict[str, int] = {}
        """How many names each object has had."""

    def replace_leftovers(self, objects: Collection[str]) -> Answer:
        """Take away what an earlier run of the node left of some objects; their names are not given again."""
        answer = self._gazebo.models()
        for model in answer.models:
            item, number = thing_of(model), model.rpartition("-")[2]
            if item in objects:
                self._given[item] = max(self._given.get(item, 0), int(number) if item != model else 1)
                deleted = self._gazebo.delete(model)
                if not deleted.ok and deleted.refusal is not Refusal.MISSING:
                    return deleted
        return answer

    def models(self) -> Answer:
        """The objects that have a model."""
        answer = self._gazebo.models()
        there = set(answer.models)
        return replace(answer, models=tuple(item for item, model in self._models.items() if model in there))

    def spawn(self, model: Model) -> Answer:
        """Put a new model into the world."""
        number = self._given.get(model.name, 0) + 1
        name = model.name if number == 1 else f"{model.name}-{number}"
        answer = self._gazebo.spawn(replace(model, name=name))
        if answer.ok or answer.refusal is Refusal.EXISTS:
            self._given[model.name] = number
        if answer.ok:
            self._models[model.name] = name
        return answer

    def place(self, name: str, pose: Pose, velocity: Vector = (0.0, 0.0, 0.0)) -> Answer:
        """Teleport an object; afterwards it moves at a velocity (m/s)."""
        return self._gazebo.place(self._models.get(name, name), pose, velocity)

    def delete(self, name: str) -> Answer:
        """Take an object out of the world."""
        return self._gazebo.delete(self._models.pop(name, name))

    def pose(self, name: str) -> Answer:
        """Where an object is."""
        return self._gazebo.pose(self._models.get(name, name))

    def paused(self) -> "AbstractContextManager[None]":
        """While inside, the physics stands still."""
        return self._gazebo.paused()
