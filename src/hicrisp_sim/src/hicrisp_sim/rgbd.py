"""Colour and distance of every pixel at once, drawn off screen through any lens from anywhere."""

from __future__ import annotations

import os
from copy import copy
from typing import Optional, Tuple

import mujoco
import numpy as np
from hicrisp_core.model import Pose
from hicrisp_core.model.picture import Lens, Picture

from hicrisp_sim.render import RenderError

os.environ.setdefault("MUJOCO_GL", "osmesa")


from hicrisp_sim.simulation import Snapshot  # noqa: E402

_GEOMETRIES = 10000
THINGS = 1
"""Geom group of objects."""


class RgbdDrawer:
    """Draws snapshots of one model. OpenGL contexts belong to a thread: use it where it was made, and close
    it there.

    Raises:
        RenderError: if this machine has no off-screen OpenGL.
    """

    def __init__(self, model: mujoco.MjModel, lens: Lens) -> None:
        self.model = model
        self.data = mujoco.MjData(model)
        self._lens = lens
        own = copy(model)  # Others draw the same model in another size and quality.
        own.vis.global_.offwidth, own.vis.global_.offheight = lens.width, lens.height
        own.vis.quality.offsamples = 0  # Smooth edges take three times as long.
        try:
            self._context = mujoco.GLContext(lens.width, lens.height)
            self._context.make_current()
            self._drawing = mujoco.MjrContext(own, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        except (ImportError, AttributeError, OSError, RuntimeError, mujoco.FatalError) as error:
            raise RenderError(f"no off-screen OpenGL with MUJOCO_GL={os.environ['MUJOCO_GL']} ({error}); "
                              "install libosmesa6, or set MUJOCO_GL=egl with libegl1 and "
                              "libgl1-mesa-dri") from error
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._drawing)
        self._drawing.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        self._scene = mujoco.MjvScene(model, _GEOMETRIES)
        for flag in (mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_REFLECTION):
            self._scene.flags[flag] = False  # They are most of the work.
        self._option, self._view = mujoco.MjvOption(), mujoco.MjvCamera()
        opacity = model.geom_rgba[model.geom_group == THINGS, 3]
        self._clear = bool(np.any((opacity > 0.0) & (opacity < 1.0)))
        self._rectangle = mujoco.MjrRect(0, 0, lens.width, lens.height)
        self._colour = np.empty((lens.height, lens.width, 3), np.uint8)
        self._depth = np.empty((lens.height, lens.width), np.float32)

    def close(self) -> None:
        """Release the OpenGL context."""
        self._context.make_current()
        self._drawing.free()
        self._context.free()

    def place(self, snapshot: Snapshot) -> None:
        """Place all bodies; afterwards ``data`` holds their poses.

        Args:
            snapshot: state of the simulation.
        """
        self.data.qpos[:] = snapshot.positions
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_camlight(self.model, self.data)

    def draw(self, camera: Pose) -> Tuple[np.ndarray, np.ndarray]:
        """Draw colour and depth.

        Args:
            camera: optical frame in the world frame.

        Returns:
            Red, green, blue (height, width, 3) of uint8, and depth along the optical axis (height, width),
            float32, metres.
        """
        mujoco.mjv_updateScene(self.model, self.data, self._option, None, self._view,
                               mujoco.mjtCatBit.mjCAT_ALL.value, self._scene)
        for eye in self._scene.camera:  # The picture is that of the middle between both.
            self._aim(eye, camera)
        self._context.make_current()
        mujoco.mjr_render(self._rectangle, self._scene, self._drawing)
        mujoco.mjr_readPixels(self._colour, self._depth, self._rectangle, self._drawing)
        clip, extent = self.model.vis.map, self.model.stat.extent
        near, far = np.float32(clip.znear * extent), np.float32(clip.zfar * extent)
        return self._colour[::-1].copy(), near * far / (self._depth[::-1] * (far - near) + near)

    def fronts(self, camera: Pose) -> Optional[np.ndarray]:
        """Draw the depth of transparent objects too, through which the depth of ``draw`` goes.

        Args:
            camera: optical frame in the world frame.

        Returns:
            Depth along the optical axis (height, width), float32, metres; ``None`` without transparent objects.
        """
        return self._numbered(camera)[1] if self._clear else None

    def _numbered(self, camera: Pose) -> Tuple[np.ndarray, np.ndarray]:
        """Draw numbers in place of colours, and depth; what is transparent is solid there."""
        flags = self._scene.flags
        for flag in (mujoco.mjtRndFlag.mjRND_SEGMENT, mujoco.mjtRndFlag.mjRND_IDCOLOR):
            flags[flag] = True
        try:
            return self.draw(camera)
        finally:
            for flag in (mujoco.mjtRndFlag.mjRND_SEGMENT, mujoco.mjtRndFlag.mjRND_IDCOLOR):
                flags[flag] = False

    def _aim(self, eye: mujoco.MjvGLCamera, camera: Pose) -> None:
        lens = self._lens
        _, down, ahead = camera.axes
        eye.pos[:], eye.forward[:], eye.up[:] = camera.position, ahead, [-value for value in down]
        near = eye.frustum_near
        # Pixel centres are whole numbers: the picture begins half a pixel before the first.
        left, right = near * (-0.5 - lens.cx) / lens.fx, near * (lens.width - 0.5 - lens.cx) / lens.fx
        eye.frustum_center, eye.frustum_width = (left + right) / 2.0, (right - left) / 2.0
        eye.frustum_top = near * (lens.cy + 0.5) / lens.fy
        eye.frustum_bottom = -near * (lens.height - 0.5 - lens.cy) / lens.fy


class SegmentDrawer(RgbdDrawer):
    """Draws snapshots with a number for each body in place of its colour."""

    def bodies(self, camera: Pose) -> np.ndarray:
        """Return the body that each pixel shows.

        Args:
            camera: optical frame in the world frame.

        Returns:
            Array (height, width) of body numbers; -1 for none.
        """
        painted, _ = self._numbered(camera)
        red, green, blue = (painted[..., channel].astype(np.int32) for channel in range(3))
        number = red + 256 * green + 65536 * blue
        of_number = np.full(self._scene.ngeom + 1, -1, np.int32)
        for shown in self._scene.geoms[:self._scene.ngeom]:
            if shown.objtype == mujoco.mjtObj.mjOBJ_GEOM and 0 <= shown.segid < self._scene.ngeom:
                of_number[shown.segid + 1] = self.model.geom_bodyid[shown.objid]
        found: np.ndarray = of_number[np.minimum(number, self._scene.ngeom)]
        return found


def bodies_seen(snapshot: Snapshot, picture: Picture) -> np.ndarray:
    """Return the body that each pixel of a picture shows.

    Args:
        snapshot: of the picture's moment.
        picture: from any camera.

    Returns:
        Array (height, width) of body numbers; -1 for none.
    """
    drawer = SegmentDrawer(snapshot.model, picture.lens)
    try:
        drawer.place(snapshot)
        return drawer.bodies(picture.camera)
    finally:
        drawer.close()
