"""Names for unknown objects while a robot works: a model is asked once for all that are new, never per image."""

from __future__ import annotations

import logging
import time
from collections import Counter
from dataclasses import dataclass, replace
from threading import Lock
from typing import Callable, Container, Dict, Mapping, Optional, Sequence, Set, Tuple

from hicrisp_core.config.files import named_folder
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import VISION
from hicrisp_core.model import Picture, Track, Tracks, Visibility
from hicrisp_core.model.geometry import distance
from hicrisp_core.ports.brain import Usage
from hicrisp_core.ports.observer import Naming, NamingRequest
from hicrisp_core.prompting.asking import ModelReply
from hicrisp_core.prompting.templates import Prompts
from hicrisp_core.time.deadline import Deadline

from hicrisp_perception.scene_scan.naming import PLACEHOLDERS, PROMPTS, SURE, Name, ask_names, attributes_of

log = logging.getLogger(__name__)

STEADY = 1.0
"""Seconds for which an object must be visible and still before a model is asked."""
_TOGETHER = 3.0
"""Seconds for which objects wait for others that have just appeared."""
_SLICE = 0.1
"""Wall seconds between two looks whether the task has ended."""
_STILL = 0.015
"""Metres by which an object that stands still may seem to move."""
_MOVED, _GROWN = 0.05, 1.25
"""Metres, and a factor on an extent, from which on an object looks different from before."""
_NEAR = 0.05
"""Least distance in front of the camera, metres."""
_MOST_ASKS, _MOST_QUESTIONS = 3, 20
"""About the same object; and of all objects until the world is reset."""

_NO_REPLY: ModelReply[Dict[int, Name]] = ModelReply(None, "", Usage())

Give = Callable[[NamingRequest], Naming]
"""Hands a name to the detector."""
Unnamed = Callable[[], Optional[Container[str]]]
"""Returns the unknown objects that nobody has named; ``None`` if that cannot be told now."""


@dataclass(frozen=True)
class _Sighting:
    """What is known of an unknown object.

    Args:
        track: as it was seen last.
        still: as it was when it came to rest, and the stamp of that, seconds; ``None`` while it is not visible.
        asked: the track as it was when a model was asked last.
        asks: how often a model was asked.
        named: whether it has a name.
        covered: whether it was hidden or held since a model was asked.
    """

    track: Track
    still: Optional[Tuple[Track, float]] = None
    asked: Optional[Track] = None
    asks: int = 0
    named: bool = False
    covered: bool = False

    def after(self, track: Track, stamp: float) -> "_Sighting":
        """Follow the object to another image."""
        if track.visibility is not Visibility.VISIBLE:
            return replace(self, track=track, still=None, covered=True)
        if self.still is None or distance(self.still[0].pose.position, track.pose.position) > _STILL:
            return replace(self, track=track, still=(track, stamp))
        return replace(self, track=track)

    @property
    def open(self) -> bool:
        """Whether a model should be asked, once the object is seen still."""
        if self.named or self.asks >= _MOST_ASKS:
            return False
        return self.asked is None or self.covered or _differs(self.asked, self.track)


def _differs(before: Track, now: Track) -> bool:
    if distance(before.pose.position, now.pose.position) > _MOVED or before.unknown is None or now.unknown is None:
        return True
    sizes = zip(sorted(before.unknown.size), sorted(now.unknown.size))
    return any(max(pair) > _GROWN * min(pair) for pair in sizes)


def _across(picture: Picture, track: Track) -> float:
    """How far to the right an object is in a picture: numbers from the left do not depend on what was found first."""
    right, _, ahead = picture.camera.seen(track.pose.position)
    return right / max(ahead, _NEAR)


class LiveNamer:
    """Decides which unknown objects need a name, asks a model for all of them together, and hands its names on.

    A name is a hypothesis: a doubtful noun only becomes another noun of the object, which keeps its name
    ``unknown_N``. It is asked about again only after it was seen differently.

    Args:
        model: takes pictures.
        prompts: of the folder ``naming``.
        give: hands a name to the detector, which lets no guess replace a user's name.
        unnamed: the unknown objects that nobody has named.
        limit: time for an answer, wall seconds.
        idle: whether no task is carried out; only then objects get other names.
    """

    def __init__(
        self, model: ChatModel, prompts: Prompts, give: Give, unnamed: Unnamed, limit: float,
        idle: Callable[[], bool] = lambda: True,
    ) -> None:
        self._model, self._prompts, self._give, self._unnamed, self._limit = model, prompts, give, unnamed, limit
        self._idle = idle
        self._lock = Lock()
        self._failing = False
        self._epoch = 0
        self.forget()

    def forget(self) -> None:
        """Drop all objects because the world was reset; an answer that is still to come names nothing."""
        with self._lock:
            self._epoch += 1
            self._seen: Dict[str, _Sighting] = {}
            self._questions, self._busy = 0, False
            self._began: Optional[float] = None

    def settled(self, stamp: float) -> bool:
        """Check whether objects have been looked for, and nothing is to be asked about those that are seen.

        Args:
            stamp: of the newest view.

        Returns:
            False also while an answer is on its way.
        """
        with self._lock:
            waits = any(each.open and each.still is not None for each in self._seen.values())
            return self._began is not None and stamp - self._began >= _TOGETHER and not waits and not self._busy

    def due(self, view: Tracks) -> Tuple[Track, ...]:
        """Follow the unknown objects through a view; does not block.

        Args:
            view: tracks by their own names.

        Returns:
            The objects to ask about now; until ``ask`` was called for them, no others are returned.
        """
        with self._lock:
            self._began = view.stamp if self._began is None else self._began
            there = [track for track in view.tracks
                     if track.unknown is not None and track.visibility is not Visibility.GONE]
            self._seen = {track.name: self._seen.get(track.name, _Sighting(track)).after(track, view.stamp)
                          for track in there}
            waiting = [(each.track, view.stamp - each.still[1]) for each in self._seen.values()
                       if each.open and each.still is not None]
            ready = tuple(track for track, age in waiting if age >= STEADY)
            gathering = len(ready) < len(waiting) and max(age for _, age in waiting) < _TOGETHER
            if not ready or gathering or self._busy or self._questions >= _MOST_QUESTIONS or not self._idle():
                return ()
            self._busy = True
            return ready

    def ask(self, picture: Picture, tracks: Sequence[Track]) -> Usage:
        """Ask what objects are, and hand the names on; returns when the answer or the time limit has come.

        Args:
            picture: shows the objects.
            tracks: as ``due`` returned them.

        Returns:
            What the question cost, with its exchanges.
        """
        with self._lock:
            epoch = self._epoch
        free = self._unnamed()
        asked = {track.name: track for track in sorted(tracks, key=lambda each: _across(picture, each))
                 if free is not None and track.name in free}
        reply = self._reply(picture, list(asked.values())) if asked else _NO_REPLY
        named: Set[str] = set()
        while reply.answer is not None and epoch == self._epoch and not self._idle():
            time.sleep(_SLICE)  # A plan that is carried out knows the objects by the names that they have now.
        if reply.answer is not None and epoch == self._epoch:
            named = self._hand_on({own: reply.answer[number] for number, own in enumerate(asked, 1)
                                   if number in reply.answer}, asked)
        with self._lock:
            if epoch != self._epoch:
                return reply.usage
            self._busy = False
            self._questions += 1 if asked else 0
            for track in tracks if free is not None else ():  # Those that a user has named cost no question.
                seen = self._seen.get(track.name)
                if seen is not None:
                    self._seen[track.name] = replace(seen, named=track.name in named, asked=track, asks=seen.asks + 1,
                                                     covered=False)
        return reply.usage

    def look(self, picture: Picture, view: Tracks) -> Usage:
        """Name what is due, for worlds whose time stands still meanwhile.

        Args:
            picture: the image of the view.
            view: tracks by their own names.

        Returns:
            What was asked about it.
        """
        tracks = self.due(view)
        return self.ask(picture, tracks) if tracks else Usage()

    def _reply(self, picture: Picture, tracks: Sequence[Track]) -> ModelReply[Dict[int, Name]]:
        things = [replace(track.unknown, pose=track.pose) for track in tracks if track.unknown is not None]
        reply, _ = ask_names(self._model, self._prompts, picture, things, Deadline(self._limit))
        if reply.answer is None and not self._failing:
            log.warning("Unknown objects keep their names (%s). %s", ", ".join(each.name for each in tracks),
                        reply.trouble)
        self._failing = reply.answer is None
        return reply

    def _hand_on(self, names: Mapping[str, Name], tracks: Mapping[str, Track]) -> Set[str]:
        """Hand names on, from the robot's left; return the objects that got one."""
        owns = sorted(names, key=lambda own: -tracks[own].pose.position[1])
        named = set()
        for own, called in zip(owns, _told_apart([names[own] for own in owns])):
            said = self._give(NamingRequest(own, called, attributes_of(names[own], bool(called)), guess=True))
            log.info("%s", said.message)
            if called and said.ok:
                named.add(own)
        return named


def _told_apart(names: Sequence[Name]) -> Sequence[str]:
    """Return what each object is called: the noun, with a number where several have the same; empty if in doubt."""
    nouns = Counter(name.noun for name in names if name.sure >= SURE)
    told: Counter = Counter()
    called = []
    for name in names:
        told[name.noun] += name.sure >= SURE
        called.append("" if name.sure < SURE else name.noun if nouns[name.noun] == 1
                      else f"{name.noun} {told[name.noun]}")
    return called


def live_namer(
    models: Models, give: Give, unnamed: Unnamed, idle: Callable[[], bool] = lambda: True
) -> Optional[LiveNamer]:
    """Create what names unknown objects, if a configuration names a model for it.

    Args:
        models: of the configuration of the run.
        give: hands a name to the detector.
        unnamed: the unknown objects that nobody has named.
        idle: whether no task is carried out; only then objects get other names.

    Returns:
        The namer; ``None`` if ``roles`` of the configuration has no ``vision``, or an offline one.

    Raises:
        ConfigError: if the model's settings or the prompts are wrong.
    """
    settings = models.settings.of_role(VISION)
    if VISION not in models.settings.roles or settings.offline:
        return None
    prompts = Prompts(named_folder("prompts", PROMPTS) or PROMPTS, PLACEHOLDERS)
    return LiveNamer(models.of(VISION), prompts, give, unnamed, settings.timeout_s, idle)
