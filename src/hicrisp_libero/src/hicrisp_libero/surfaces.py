"""What a MuJoCo model says of the surfaces that show an object; imports nothing of the workspace."""

from __future__ import annotations

from typing import Any, List, Sequence

import numpy as np

MESH, CLEAR = 7, 0.5
"""Type of a geom that is a mesh, and opacity up to which a surface shows what is behind it."""
_GRID = 25
"""Rays along each side of an object, by which its height is measured from above."""
_ABOVE = 40.0
"""Height at which an object is measured away from all others, metres."""
_POINTS = 2000
"""Points on an object's surface that say how it looks."""
_SIDES = np.array([(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6),
    (0, 6, 4), (1, 5, 7), (1, 7, 3)])
"""The corners of a box, by twos from its least x, y and z on, as triangles."""


def paint_of(model: Any, geom: int) -> np.ndarray:
    """Return red, green, blue and opacity of a geom, each from 0 to 1."""
    material = int(model.geom_matid[geom])
    return np.asarray(model.mat_rgba[material] if material >= 0 else model.geom_rgba[geom])


def corners_of(model: Any, geom: int) -> np.ndarray:
    """Return points that span a geom, in its own frame."""
    size, kind = model.geom_size[geom], int(model.geom_type[geom])
    if kind == MESH:
        mesh = int(model.geom_dataid[geom])
        first = int(model.mesh_vertadr[mesh])
        return np.array(model.mesh_vert[first : first + int(model.mesh_vertnum[mesh])])
    half = {2: (size[0],) * 3, 3: (size[0], size[0], size[0] + size[1]), 5: (size[0], size[0], size[1])}.get(
        kind, tuple(size))
    return np.array([[x * half[0], y * half[1], z * half[2]] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


def heights_of(model: Any, state: Any, geoms: Sequence[int]) -> List[List[float]]:
    """Return how high an object stands above its lowest point on a grid seen from above; -1 where nothing is.

    Args:
        model: MuJoCo's.
        state: its state, which is not changed.
        geoms: numbers of those that the object collides with.

    Returns:
        Rows along x of heights along y, metres.
    """
    import mujoco  # Only the benchmark's own environment has it.

    data = mujoco.MjData(model)
    data.qpos[:] = state.qpos
    mujoco.mj_kinematics(model, data)
    corners = np.concatenate([
        corners_of(model, geom) @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom] for geom in geoms])
    low, high, number, found = corners.min(axis=0), corners.max(axis=0), np.zeros(1, np.int32), []
    data.geom_xpos[geoms] += np.array([0.0, 0.0, _ABOVE])  # Away from everything else.
    for x in np.linspace(low[0], high[0], 2 * _GRID + 1)[1::2]:
        for y in np.linspace(low[1], high[1], 2 * _GRID + 1)[1::2]:
            top = np.array([x, y, high[2] + _ABOVE + 0.5])
            far = mujoco.mj_ray(model, data, top, np.array([0.0, 0.0, -1.0]), None, 1, -1, number)
            height = float(high[2] + 0.5 - far - low[2])
            found.append(height if far >= 0.0 and height > -1e-3 else -1.0)
    return [found[row * _GRID : (row + 1) * _GRID] for row in range(_GRID)]


def looks_of(model: Any, data: Any, body: int, geoms: Sequence[int]) -> List[List[float]]:
    """Return points on the surface that shows an object, by its model alone.

    Args:
        model: MuJoCo's.
        data: its state, which says where the geoms are on the body.
        body: number of the body.
        geoms: numbers of those that show it.

    Returns:
        Rows of a place in the body's frame, metres, the colour of the texture there, 0 to 1, and the normal.
    """
    dice, areas, found = np.random.default_rng(0), [], []
    for geom in geoms:
        mesh, turn = int(model.geom_dataid[geom]), data.xmat[body].reshape(3, 3)
        faces = _SIDES if mesh < 0 else model.mesh_face[model.mesh_faceadr[mesh] :][: model.mesh_facenum[mesh]]
        corners = corners_of(model, geom)[faces]
        corners = corners @ (turn.T @ data.geom_xmat[geom].reshape(3, 3)).T + (
            data.geom_xpos[geom] - data.xpos[body]) @ turn
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        area = np.linalg.norm(normals, axis=1)
        chosen = dice.choice(len(area), _POINTS, p=area / area.sum())
        parts = dice.dirichlet((1.0, 1.0, 1.0), _POINTS)[:, :, None]
        found.append(np.hstack([(corners[chosen] * parts).sum(axis=1), _colours(model, geom, mesh, chosen, parts),
            normals[chosen] / area[chosen, None]]))
        areas.append(area.sum())
    counts = np.ceil(_POINTS * np.array(areas) / sum(areas)).astype(int) if areas else []
    return [row for rows, count in zip(found, counts) for row in rows[:count].round(4).tolist()]


def _colours(model: Any, geom: int, mesh: int, faces: np.ndarray, parts: np.ndarray) -> np.ndarray:
    material = int(model.geom_matid[geom])
    paint, texture = paint_of(model, geom)[:3], int(model.mat_texid[material]) if material >= 0 else -1
    marks = int(model.mesh_texcoordadr[mesh]) if mesh >= 0 else -1
    if texture < 0 or marks < 0:
        return np.tile(paint, (len(faces), 1))
    rows, columns = int(model.tex_height[texture]), int(model.tex_width[texture])
    image = model.tex_rgb[model.tex_adr[texture] :][: 3 * rows * columns].reshape(rows, columns, 3)
    corners = model.mesh_facetexcoord[model.mesh_faceadr[mesh] :][faces]
    across, down = (
        (model.mesh_texcoord[marks:][corners] * parts).sum(axis=1) % 1.0 * (columns, rows)).astype(int).T
    return image[down, across] / 255.0 * paint
