"""Which object a description means: a person wrote it from a plain picture, and an interpreter reads it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

import numpy as np
from hicrisp_core.domain import load_domain, spoken
from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import OFFLINE, VISION
from hicrisp_core.model import Goal, Holds, Question, Track, Uncertainty
from hicrisp_core.ports.interpreter import Request
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.factory import make_interpreter
from hicrisp_perception.annotating import as_jpeg, numbered
from hicrisp_sim.rgbd import bodies_seen

from hicrisp_bench.cost import QUESTIONS, questions_of
from hicrisp_bench.openworld.truth import matched, wares_now
from hicrisp_bench.options import llm_settings
from hicrisp_bench.statistics import share_of
from hicrisp_bench.trial import look_steadily, seen_by_camera

GROUNDED, ASKED, REFUSED, WRONG = OUTCOMES = ("grounded", "asked", "refused", "wrong")


class Description(NamedTuple):
    """What a person calls an object.

    Args:
        seed: of the layout.
        pixel: column and row of the plain picture at which the object is.
        say: a noun phrase, such as "the thing to turn screws with".
    """

    seed: int
    pixel: Tuple[int, int]
    say: str


@dataclass(frozen=True)
class GroundingTrial:
    """One layout with the descriptions of its objects.

    Args:
        llm: a file of ``config/llm``; its role ``vision``, or else its only model, names the objects before.
            Controlled English is read beside it, with the same names.
    """

    config: Path
    scene: str
    seed: int
    llm: str
    descriptions: Sequence[Description]

    def key(self) -> str:
        """Name a trial among those of its suite."""
        return f"{self.scene}, grounding, {self.seed}"

    def run(self) -> Dict[str, Any]:
        """Have the objects of a layout named, and then ask for each that is described.

        Returns:
            JSON values: ``answers`` has what came of each description, judged by the true object at its pixel.

        Raises:
            ConfigError: if the camera has no picture.
        """
        scene = load_scene(self.config / "scenes" / f"{self.scene}.yaml", self.seed)
        settings = llm_settings(self.config, self.llm).of_trial(self.key())
        if not settings.offline:
            settings = replace(settings, roles={VISION: settings, **settings.roles})
        models, domain = Models(settings), load_domain(self.config / "domains" / f"{scene.domain}.yaml")
        with seen_by_camera(scene, self.seed, domain, models) as (world, eye):
            look_steadily(world)
            look_steadily(world)  # Those that come late wait for each other.
            state, picture, wares = world.observe(Deadline(1.0)), world.camera.take(), wares_now(world)
            if picture is None:
                raise ConfigError(f"the camera of scene {self.scene} has no picture")
            model, bodies = world.simulation.model, bodies_seen(world.simulation.snapshot, picture)
            masks = {name: np.argwhere(bodies == model.body(name).id)[:, ::-1] for name in wares}
            tracks = [Track(name, item.pose, Uncertainty(), state.stamp, unknown=item)
                      for name, item in state.objects.items() if item.pose is not None and name not in scene.objects]
            pairs = matched(wares, {each.name: state.objects[each.name] for each in tracks})
            readers = {OFFLINE: make_interpreter(llm_settings(self.config, OFFLINE), domain),
                       self.llm: make_interpreter(
                           models, domain, look=lambda names: as_jpeg(numbered(picture, tracks, names)))}
            answers, asked = [], list(eye.usage.exchanges)
            for each in self.descriptions:
                away = {name: np.linalg.norm(mask - each.pixel, axis=1).min()
                        for name, mask in masks.items() if len(mask)}
                ware = min(away, key=lambda name: away[name])
                for llm, reader in readers.items():
                    request = Request(f"Pick up {each.say}.", state)
                    found = reader.understand(request, Deadline(models.settings.timeout_s))
                    asked += found.usage.exchanges
                    answers.append({"llm": llm, "say": each.say, "object": ware, "track": pairs.get(ware, ""),
                                    "came_to": judged(found.meaning, pairs.get(ware, ""), domain.roles.held),
                                    "meant": str(found.meaning or found.trouble)[:300]})
            return {"seed": self.seed, "answers": answers, QUESTIONS: questions_of(each.as_dict() for each in asked)}


def read_descriptions(file: Path) -> List[Description]:
    """Read a JSON list of descriptions, each with ``seed``, ``pixel`` and ``say``.

    Raises:
        ConfigError: if it is none.
    """
    try:
        return [Description(int(each["seed"]), (int(each["pixel"][0]), int(each["pixel"][1])), str(each["say"]))
                for each in json.loads(file.read_text(encoding="utf-8"))]
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise ConfigError(f"{file} is no JSON list of objects with 'seed', 'pixel' (column, row) and 'say': "
                          f"{error}") from error


def judged(meaning: Any, track: str, held: str) -> str:
    """Return what came of a description.

    Args:
        meaning: of "pick up" and the description; ``None`` without an answer.
        track: the object that is described; empty if the camera does not show it.
        held: the domain's predicate of what a robot holds.

    Returns:
        One of ``OUTCOMES``; a question counts only if the object is among its choices.
    """
    if isinstance(meaning, Question):
        return ASKED if spoken(track) in [each.text for each in meaning.choices] else WRONG
    if not isinstance(meaning, Goal):
        return REFUSED
    facts = [(each.fact.predicate, each.fact.object) if isinstance(each, Holds) else ()
             for stage in meaning.stages for each in stage.conditions]
    return GROUNDED if facts == [(held, track)] else WRONG


def grounding_row(scene: str, llm: str, answers: Sequence[Mapping[str, Any]]) -> Dict[str, Any]:
    """Return the shares of what came of descriptions."""
    return {"scene": scene, "llm": llm, "n": len(answers), **{
        key: value for each in OUTCOMES for key, value in share_of(
            each, sum(answer["came_to"] == each for answer in answers), len(answers)).items()}}
