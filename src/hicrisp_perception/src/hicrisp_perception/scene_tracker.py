"""Perception of a scene's objects: images in, tracks out, without ROS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Container, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
from hicrisp_core.detector.perception import ArmFrames, frames_of, opens
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose, Track, Visibility, WorldObject
from hicrisp_core.model.picture import Picture
from hicrisp_core.ports.observer import Frames
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import Scene, domain_of
from hicrisp_core.scene.tags import Tag, tags_of

from hicrisp_perception.shapes.colour_model import FAMILIES, HUES
from hicrisp_perception.shapes.evidence import cover
from hicrisp_perception.shapes.findings import Findings
from hicrisp_perception.shapes.level import TablePlane
from hicrisp_perception.shapes.recognition import recognise
from hicrisp_perception.shapes.searching import Searches
from hicrisp_perception.shapes.segments import Ground, Sorter, Window, segments_in
from hicrisp_perception.shapes.support import on_their_feet
from hicrisp_perception.tags.patterns import Patterns
from hicrisp_perception.tags.reader import TagReader
from hicrisp_perception.tags.tagged import by_tags
from hicrisp_perception.tracking.by_model import Models
from hicrisp_perception.tracking.change_detection import Steady, TagMisses
from hicrisp_perception.tracking.fronts import Fronts
from hicrisp_perception.tracking.furniture import Furniture
from hicrisp_perception.tracking.grip import Grips, ObservedHand
from hicrisp_perception.tracking.in_hand import confirms, look_in_hand, regrasped
from hicrisp_perception.tracking.robot_body import robot_pixels
from hicrisp_perception.tracking.tracks import Tracks
from hicrisp_perception.tracking.unknown_objects import UnknownObjects
from hicrisp_perception.view import Views, check

_CLOSER_LOOK = 80
"""Size above which an unexplained region is searched for a tag at higher resolution, pixels."""
_WARNED = 8.0
"""Seconds for which a warning holds that no later picture repeats: all objects are read again in that time."""
_WIDER = 0.02
"""Metres by which a robot may be wider than its description where objects are told apart by their models alone."""
_LEAST_SIZE = 0.008
"""Metres below which an object does not stand out from the noise of the depth."""


@dataclass(frozen=True)
class TrackerSettings:
    """What is looked for.

    Args:
        shapes: whether objects are known by their shapes and colours.
        unknown_objects: whether objects that the scene does not contain are reported.
    """

    shapes: bool = True
    unknown_objects: bool = True


def check_sizes(scene: Scene) -> None:
    """Check that the camera can detect all objects of a scene.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.

    Raises:
        ConfigError: if an object is too small; names it.
    """
    for item in scene.things:
        if min(item.size) < _LEAST_SIZE or sorted(item.size)[1] < 2.0 * _LEAST_SIZE:
            size = " x ".join(f"{1000.0 * value:g}" for value in item.size)
            raise ConfigError(f"{item.name} of the scene '{scene.name}' is too small to be seen: {size} mm. "
                              f"The camera needs {1000.0 * _LEAST_SIZE:g} mm, and twice that in two "
                              "directions; use perception:=poses, or larger objects")


class SceneTracker:
    """Sees the objects of a scene in the pictures of a camera; implements ``Perception``.

    Nothing is known of where objects are before the first picture: the scene says what there is, not where.

    Args:
        tags: what the objects wear; what the scene says by default.

    Raises:
        ConfigError: for objects that are too small to be seen or to wear tags.
    """

    def __init__(self, scene: Scene, settings: Optional[TrackerSettings] = None,
                 tags: Optional[Sequence[Tag]] = None) -> None:
        self._settings = settings or TrackerSettings()
        self._things: Dict[str, WorldObject] = {item.name: item for item in scene.things}
        check_sizes(scene)
        worn = tags if tags is not None else tags_of(scene) if scene.tags else ()
        self._reader = TagReader(worn) if worn else None
        self._patterns = Patterns(worn) if worn else None
        self._warned: Dict[str, float] = {}
        found = bodies_of(scene)
        self._gripper = next((body.hand for body in found.values() if body.hand is not None), None)
        self._links = {frame: capsules for body in found.values() for frame, capsules in body.links.items()}
        frames = {name: frames_of(name, body) for name, body in found.items()}
        self._arms = {name: each for name, each in frames.items() if isinstance(each, ArmFrames)}
        self._sorter = Sorter(scene.table)
        self._scene = scene
        self._opens = not scene.looks and opens(domain_of(scene))
        """Whether fronts are looked for: what has models is furniture, with joints."""
        self._views, self._closer_views = Views(), Views()
        self.forget()

    def forget(self) -> None:
        """Reset after the world was reset."""
        self._sorter.forget()
        self._steady, self._searches, self._tag_misses = Steady(self._alike), Searches(), TagMisses()
        self._tracks = Tracks(self._things)
        self._unknown = UnknownObjects(self._gripper)
        self._models = Models(self._scene.looks, self._scene.described) if self._scene.looks else None
        self._furniture = Furniture(self._scene.objects, self._scene.looks)
        self._grips = Grips(self._gripper.opening) if self._gripper is not None else Grips()
        self._fronts = Fronts(self._unknown.new_name)
        self._lit: Tuple[Optional[float], float] = (None, 1.0)

    @property
    def level(self) -> TablePlane:
        """The table's plane in the last image, which shows the error of the camera's pose."""
        return self._sorter.level

    def look(self, picture: Picture, robots: Frames) -> Tuple[Track, ...]:
        """Return all tracks after an image: visible, hidden, held and gone objects.

        Args:
            picture: colour and depth with stamp, lens and camera pose.
            robots: pose and stamp of the robots' frames, world frame.

        Returns:
            The tracks.

        Raises:
            PictureError: when the picture's parts do not fit together.
        """
        check(picture)
        view = self._views.of(picture)
        hands = self._hands(robots)
        self.follow(robots, picture.stamp)
        robot = robot_pixels(view.rays, view.depth, robots, self._links, _WIDER if self._scene.looks else 0.0)
        found = Findings(np.zeros(view.shape, bool))
        standing = {name: fit for name, fit in self._tracks.standing.items() if name not in self._grips.held}
        for name, claim in self._steady.unchanged(view, robot, standing).items():
            found.keep(name, standing[name], claim)  # It is not measured again.
        self._searches.begin(self._steady.goes_on)
        self._tag_misses.begin(self._steady.goes_on)
        if self._patterns is not None:
            self._patterns.begin(self._steady.goes_on)
        ground = self._sorter.ground(view, robot, found.claimed if found.kept else None)
        light, brightness = self._lit  # The table keeps its paint: how bright it is tells the light.
        found.light = light * float(ground.table_colour.max()) / brightness if light is not None else None
        held = self._look_at_hands(ground, hands, found)
        self._read_tags(ground, found, held)
        wanted = [item for name, item in self._things.items() if name not in held]
        if self._models is not None:
            self._furniture.look(ground, found.claimed)
            self._models.recognise(ground, wanted, found, self._tracks.memory(self._grips.held), hands)
        elif self._settings.shapes:
            recognise(
                ground,
                wanted,
                found,
                self._tracks.memory(self._grips.held),
                self._searches,
                self._patterns,
            )
            self._look_for_taken(ground, hands, found)
        on_their_feet(found, ground)
        self._steady.remember({name: claim for name, claim in found.claims.items() if name in found.fits})
        self._lit = (found.light, float(ground.table_colour.max()))
        self._tracks.look(ground, found, self._in_hands(hands), picture.stamp, self._furniture.placed)
        self.follow(robots, picture.stamp)  # What is observed between the fingers is held.
        if self._settings.unknown_objects:
            # The pixels of what stands where it was and was not found show no unknown objects.
            for name, pose in self._tracks.poses.items():
                if name not in found.fits:
                    cover(found.claimed, self._things[name], pose, ground)
            waiting = self._searches.waiting(
                item for name, item in self._things.items() if name not in found.fits and name not in held)
            if self._opens:
                self._fronts.look(ground, found.claimed, hands)
            for name in self._unknown.look(ground, found.claimed, hands, self._grips.held, waiting):
                self._grips.lose(name, empty=True)
        return self._all

    def look_closer(self, picture: Picture, robots: Frames) -> Tuple[Track, ...]:
        """Look for what the last image hid in that of another camera, such as the hand's.

        Args:
            picture: colour and depth with stamp, lens and camera pose.
            robots: pose and stamp of the robots' frames, world frame.

        Returns:
            All tracks.

        Raises:
            PictureError: when the picture's parts do not fit together.
        """
        check(picture)
        hidden = self._tracks.hidden
        if self._models is None or not hidden:
            return self._all
        view = self._closer_views.of(picture)
        ground = Sorter(self._scene.table).ground(view, robot_pixels(view.rays, view.depth, robots, self._links))
        found = Findings(np.zeros(view.shape, bool))
        others = {name: pose for name, pose in self._tracks.poses.items() if name not in hidden}
        for name, pose in others.items():
            if not self._things[name].form.hollow:  # What is hidden may lie in that.
                cover(found.claimed, self._things[name], pose, ground)
        for name, pose in hidden.items():
            self._models.closer(self._things[name], pose, ground, found, others)
        self._tracks.shown(found, ground, picture.stamp)
        return self._all

    @property
    def _all(self) -> Tuple[Track, ...]:
        return (*self._tracks.all, *self._furniture.tracks, *self._fronts.tracks, *self._unknown.tracks)

    def afterwards(self) -> None:
        """Do nothing: every measurement is needed for the tracks."""

    @property
    def warnings(self) -> Tuple[str, ...]:
        """Problems of the last image, as sentences for the user."""
        return tuple(self._warned)

    def _read_tags(self, ground: Ground, found: Findings, held: Container[str]) -> None:
        if self._reader is None:
            return
        before = self._tracks.memory(self._grips.held).fits
        warnings: List[str] = []
        opened = self._open_windows(ground, found) if found.kept else None
        for closer in (False, True):  # What nothing accounts for is looked at closer.
            windows = None if opened is None else self._tag_misses.worth(opened, self._steady.cells, closer)
            if windows == []:
                continue
            report = self._reader.read(ground.view, windows, closer)
            self._tag_misses.remember([window for window in windows or () if not report.shown_in(window)],
                                   self._steady.cells, closer)
            loose = {name: tags for name, tags in report.fits.items()
                     if name not in held and name not in found.fits}
            fits, wrong = by_tags(loose, self._things, ground, self._settings.shapes, before)
            warnings += [*report.warnings, *wrong]
            self._searches.spend(len(fits))
            for name, fit in fits.items():
                found.fits[name] = fit
                found.claim(name, fit, ground, rim=1)  # What is below it is not yet known.
            if closer or all(name in held or name in found.fits for name in self._things):
                break
            opened = self._open_windows(ground, found)
        # What was wrong with what is not read again is so still, for a while.
        stamp = ground.view.stamp
        self._warned = {each: since for each, since in self._warned.items()
                        if found.kept and stamp - since < _WARNED}
        self._warned.update(dict.fromkeys(warnings, stamp))

    @staticmethod
    def _open_windows(ground: Ground, found: Findings) -> List[Window]:
        """Return the parts of the picture that nothing accounts for."""
        left = segments_in(ground, found.claimed, uncut=True)
        return [segment.window for segment in left if segment.pixels > _CLOSER_LOOK]

    def follow(self, robots: Frames, stamp: float) -> None:
        """Notice what hands take and let go between two pictures.

        Args:
            stamp: seconds of the pictures' clock.
        """
        hands = self._hands(robots)
        seen = {name: (self._things[name], pose) for name, pose in self._tracks.poses.items()}
        # What touches is not exactly what shows: of a bottle's model hands take the neck.
        loose = {name: seen.pop(name) for name in list(seen) if name in self._scene.looks}
        for name, pose in self._grips.follow(hands, seen, {**self._unknown.shapes, **loose}).items():
            self._put(name, pose, stamp, Visibility.HIDDEN)
        for name, pose in self._in_hands(hands).items():
            self._put(name, pose, stamp, Visibility.HELD)

    def _put(self, name: str, pose: Pose, stamp: float, visibility: Visibility) -> None:
        (self._tracks if name in self._things else self._unknown).put(name, pose, stamp, visibility)

    def _in_hands(self, hands: Mapping[str, ObservedHand]) -> Dict[str, Pose]:
        poses = {name: self._grips.pose(name, hands) for name in self._grips.held}
        return {name: pose for name, pose in poses.items() if pose is not None}

    def _hands(self, robots: Frames) -> Dict[str, ObservedHand]:
        hands: Dict[str, ObservedHand] = {}
        for name, arm in self._arms.items():
            frames = [robots.get(frame) for frame in arm.frames]
            tool, left, right = (entry[0] if entry is not None and entry[0].finite else None
                                 for entry in frames)
            if tool is not None and left is not None and right is not None:
                hands[name] = ObservedHand(name, tool, left.position, right.position, arm.apart)
        return hands

    def _look_at_hands(self, ground: Ground, hands: Mapping[str, ObservedHand], found: Findings) -> List[str]:
        """Confirm what is held, or notice that it is not; the names of what is."""
        for name, pose in self._in_hands(hands).items():
            if name not in self._things:  # Only the hand locates an undescribed object.
                grasp = self._grips.held[name]
                moved = self._unknown.moved(name, hands[grasp.hand].tool, ground)
                if moved is not None:
                    self._grips.correct(name, hands, moved)
                elif self._unknown.fell(name, ground, grasp.firm):
                    self._grips.lose(name, empty=True)
                continue
            closer = None if self._models is None else self._models.in_hand(self._things[name], pose, ground, found)
            if closer is not None:
                self._grips.correct(name, hands, closer)
                cover(found.claimed, self._things[name], closer, ground)
                continue
            fit, shown = look_in_hand(self._things[name], pose, ground, self._family(name))
            answer = confirms(fit, shown)
            if answer is False:
                self._grips.lose(name)
            elif answer and fit is not None:
                self._grips.correct(name, hands, fit.pose)
                found.claim(name, fit, ground)
            else:  # Too little is visible to locate it, and no other object explains that.
                cover(found.claimed, self._things[name], pose, ground)
        return list(self._grips.held)

    def _look_for_taken(self, ground: Ground, hands: Mapping[str, ObservedHand], found: Findings) -> None:
        """What is not where it was may have been taken unseen."""
        for hand in hands.values():
            unknown = self._grips.held_by(hand)
            if any(name in self._things for name in unknown) or not self._grips.may_hold(hand):
                continue
            for name, item in self._things.items():
                if name in found.fits or name in self._grips.held:
                    continue
                grasp = regrasped(item, hand, ground, self._family(name))
                if grasp is not None:
                    for other in unknown:
                        self._grips.lose(other)
                    self._grips.held[name] = grasp
                    fit, _ = look_in_hand(item, hand.tool.compose(grasp.pose), ground, self._family(name))
                    if fit is not None:
                        found.claim(name, fit, ground)
                    break

    def _alike(self, one: str, other: str) -> bool:
        """Check whether two objects have one hue, or none."""
        families = [self._family(name) for name in (one, other)]
        return families[0] == families[1] or all(each is not None and each < HUES for each in families)

    def _family(self, name: str) -> Optional[int]:
        return FAMILIES.get(self._things[name].attributes.get("colour", ""))

