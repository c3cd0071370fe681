"""When one of the seven table-top tasks is done: questions about the final arrangement, whichever objects
make it.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import List, Tuple

from hicrisp_core.model import WorldState
from hicrisp_core.model.geometry import Planar

_NEIGHBOURS = (0.045, 0.13)
"""Distance between the centres of two neighbouring cubes of a shape, metres; a cube is 4.5 cm wide."""
_OFF_LINE = 0.03
"""Greatest distance of a cube from the straight line that it belongs to, metres."""
_ASKEW = math.radians(20.0)
"""Greatest error of the right angles of a plus sign."""


def red_on_blue(world: WorldState) -> bool:
    """Check task 1: the red cube stands on the blue one.

    Args:
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Whether it does.
    """
    return world.holds("on", "red_cube", "blue_cube")


def line_of_four(world: WorldState) -> bool:
    """Check task 2: four cubes stand on the table in one straight line, each next to the one before.

    Args:
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Whether they do.
    """
    places = [place for _, place in _cubes_on_the_table(world)]
    if len(places) != 4:
        return False
    ends = max(combinations(places, 2), key=lambda pair: math.dist(*pair))
    length = math.dist(*ends)
    along = ((ends[1][0] - ends[0][0]) / length, (ends[1][1] - ends[0][1]) / length)
    offsets = [(x - ends[0][0], y - ends[0][1]) for x, y in places]
    order = sorted(x * along[0] + y * along[1] for x, y in offsets)
    return all(abs(y * along[0] - x * along[1]) <= _OFF_LINE for x, y in offsets) and \
        all(_NEIGHBOURS[0] <= after - before <= _NEIGHBOURS[1] for before, after in zip(order, order[1:]))


def cube_beside_cylinder(world: WorldState) -> bool:
    """Check task 3: any cube is close to the cylinder.

    Args:
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Whether one is.
    """
    return any(world.holds("next_to", cube, "cylinder") for cube in _cubes(world))


def red_in_a_bowl(world: WorldState) -> bool:
    """Check task 4: the red cube lies in any bowl.

    Args:
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Whether it does.
    """
    return any(fact.predicate == "in" for fact in world.about("red_cube"))


def tower_of_three(world: WorldState) -> bool:
    """Check task 5: any three cubes stand on each other.

    Args:
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Whether they do.
    """
    return any(world.holds("on", top, middle) and world.holds("on", middle, low)
               and world.holds("on", low, "table")
               for low in _cubes(world) for middle in _cubes(world) for top in _cubes(world))


def two_in_one_bowl(world: WorldState) -> bool:
    """Check task 6: at least two cubes lie in the same bowl.

    Args:
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Whether they do.
    """
    bowls = [fact.object for cube in _cubes(world) for fact in world.about(cube) if fact.predicate == "in"]
    return any(bowls.count(bowl) >= 2 for bowl in bowls)


def plus_sign(world: WorldState) -> bool:
    """Check task 7: any cube has a neighbour at each of four sides, at right angles, and all five stand on the table.

    Args:
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Whether there is such a plus sign.
    """
    cubes = _cubes_on_the_table(world)
    for name, centre in cubes:
        near = [math.atan2(y - centre[1], x - centre[0]) for other, (x, y) in cubes
                if other != name and _NEIGHBOURS[0] <= math.dist((x, y), centre) <= _NEIGHBOURS[1]]
        for bearings in combinations(sorted(near), 4):
            turns = (after - before for before, after in zip(bearings, [*bearings[1:], bearings[0] + math.tau]))
            if all(abs(turn - math.pi / 2.0) <= _ASKEW for turn in turns):
                return True
    return False


def _cubes(world: WorldState) -> List[str]:
    return sorted(name for name, item in world.objects.items() if item.type == "box")


def _cubes_on_the_table(world: WorldState) -> List[Tuple[str, Planar]]:
    return [(name, (pose.position[0], pose.position[1])) for name in _cubes(world)
            for pose in (world.objects[name].pose,) if pose is not None and world.holds("on", name, "table")]
