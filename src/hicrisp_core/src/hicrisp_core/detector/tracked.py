"""Things as a camera's tracks show them: where they are, how exactly that is known, and what nobody
described.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Dict, Mapping, Optional

from hicrisp_core.domain.schema import ANYTHING, Domain
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.track import Track, View, Visibility
from hicrisp_core.time.stamps import lead

_RIM = 0.015
"""Metres around a thing within which the middle of what shows of it lies."""
_PICKS = "pick"
"""The skill by which an arm takes a thing."""


def tracked(view: View, catalogue: Mapping[str, WorldObject], now: float,
            age_limit: float = math.inf) -> Dict[str, WorldObject]:
    """What a view says of the movable things of a catalogue, and the unknown things in it, by name.

    Args:
        now: seconds of the clock of the view's stamps.
        age_limit: age of the picture from which on no pose in it counts as seen, seconds. A thing keeps an
            older pose as the place where it was last, but no fact follows from it; nor from a picture that is
            dated ahead of the clock, whose age nobody knows.
    """
    old, ahead = now - view.stamp > age_limit, lead(view.stamp, now)
    tracks = {track.name: track for track in view.tracks}
    found = {name: _placed(thing, tracks.get(name), now, old, ahead) for name, thing in catalogue.items()
             if thing.movable}
    covered = [thing for thing in found.values()
               if thing.visibility in (Visibility.HIDDEN, Visibility.HELD) and thing.pose is not None]
    for name, track in tracks.items():
        if track.unknown is None or name in catalogue or track.visibility is Visibility.GONE:
            continue
        if not any(_part_of(track.pose, thing) for thing in covered):
            found[name] = _placed(replace(track.unknown, name=name), track, now, old, ahead)
    return found


def _part_of(pose: Pose, thing: WorldObject) -> bool:
    """Whether what is seen at a pose is what shows of a thing that is hidden for the rest, or in a hand."""
    if thing.pose is None:
        return False
    local = thing.pose.inverse().apply(pose.position)
    return all(abs(along) <= size / 2.0 + _RIM for along, size in zip(local, thing.size))


def _placed(thing: WorldObject, track: Optional[Track], now: float, old: bool, ahead: float) -> WorldObject:
    if track is None or not track.pose.finite:
        return replace(thing, pose=None, pose_age=math.inf)
    if ahead > 0.0:
        return replace(thing, pose=track.pose, pose_age=math.inf, lost=True, ahead=ahead,
                       uncertainty=track.uncertainty)
    age = max(0.0, now - track.stamp)
    if track.visibility is Visibility.GONE:
        return replace(thing, pose=None, pose_age=age, visibility=Visibility.GONE)
    return replace(thing, pose=track.pose, pose_age=age, lost=old, uncertainty=track.uncertainty,
                   visibility=track.visibility)


def stranger(found: WorldObject, domain: Domain, opening: float) -> WorldObject:
    """An unknown thing in the domain's words.

    One that fits into a hand may be picked up where the domain has a general word for such things; nobody
    knows what it is, so it never gets a word for one kind of them. Any other stands in the way.

    Args:
        opening: the widest thing that a hand takes, metres; 0 without a hand.
    """
    item, in_the_way = _handled(domain), domain.roles.obstacle or ANYTHING
    general = item in domain.types.values()
    fits = general and min(found.size[:2]) <= opening
    if not fits and not domain.roles.obstacle and item:
        in_the_way = domain.types.get(item) or ANYTHING
    return replace(found, type=item if fits else in_the_way, movable=fits)


def _handled(domain: Domain) -> str:
    """The type of what an arm picks up in a domain; empty where it picks nothing up."""
    for name, use in domain.skills.items():
        parameters = domain.actions[name].parameters
        if use.skill == _PICKS and use.item in parameters:
            return parameters[use.item].type
    return ""
