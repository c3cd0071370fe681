"""How surfaces meet in Gazebo's ODE: friction, stiffness and softness of contacts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Surface:
    """The parameters of one collision; ODE takes the smaller friction and the softer spring of the two that meet.

    Args:
        mu: friction along the first direction.
        mu2: friction across it.
        torsional: friction against turning on the spot, over a patch of ``patch`` metres radius; 0 for none.
            Without it an object that two flat fingers hold at two points turns about the line between them.
        kp: stiffness of the contact, N/m.
        kd: its damping, N s/m.
        min_depth: how far objects may sink in before they are pushed apart, metres; contacts that come and go
            shake a grasp loose.
        max_vel: speed at which objects that overlap are pushed apart at most, m/s; a high one throws what is pinched.
    """

    mu: float = 0.7
    mu2: float = 0.7
    torsional: float = 0.0
    patch: float = 0.0
    kp: float = 1e6
    kd: float = 100.0
    min_depth: float = 0.001
    max_vel: float = 0.1


THING = Surface(mu=1.1, mu2=1.1, torsional=1.0, patch=0.01, kp=1e5, kd=20.0, min_depth=0.0005, max_vel=0.05)
"""What a gripper holds."""
FINGER = Surface(mu=1.5, mu2=1.5, torsional=1.0, patch=0.01, kp=1e5, kd=20.0, min_depth=0.0005, max_vel=0.05)
FURNITURE = Surface(mu=0.7, mu2=0.7)
OBSTACLE = Surface(mu=0.8, mu2=0.8)
