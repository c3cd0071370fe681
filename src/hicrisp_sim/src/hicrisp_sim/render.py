"""Pictures of the world, drawn off screen on the processor from copies of the state."""

from __future__ import annotations

import os
from pathlib import Path
from typing import List, Sequence, Tuple, Union

from hicrisp_core.errors import HicrispError

os.environ.setdefault("MUJOCO_GL", "osmesa")

import mujoco  # noqa: E402 - it chooses its OpenGL when it is imported
import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402

from hicrisp_sim.scenery import OVERVIEW  # noqa: E402
from hicrisp_sim.simulation import Snapshot  # noqa: E402

SIZE = (960, 720)
_QUALITY = 88


class RenderError(HicrispError):
    """No picture can be drawn; the message says what is missing."""


class Renderer:
    """Draws snapshots of one model. OpenGL contexts belong to a thread: use it where it was made, and close
    it there.

    Args:
        size: width and height in pixels.
        shadows: whether objects cast shadows, which is most of the work: seven times as long for a small picture.

    Raises:
        RenderError: if this machine has no off-screen OpenGL.
    """

    def __init__(self, model: mujoco.MjModel, size: Tuple[int, int] = SIZE, shadows: bool = True) -> None:
        self._model = model
        self._data = mujoco.MjData(model)
        model.vis.global_.offwidth = max(model.vis.global_.offwidth, size[0])
        model.vis.global_.offheight = max(model.vis.global_.offheight, size[1])
        try:
            self._renderer = mujoco.Renderer(model, height=size[1], width=size[0])
        except (ImportError, AttributeError, OSError, RuntimeError, mujoco.FatalError) as error:
            raise RenderError(f"no off-screen OpenGL with MUJOCO_GL={os.environ['MUJOCO_GL']} ({error}); "
                              "install libosmesa6, or set MUJOCO_GL=egl with libegl1 and "
                              "libgl1-mesa-dri") from error
        self._renderer.scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows

    def __enter__(self) -> "Renderer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the OpenGL context."""
        self._renderer.close()

    def draw(self, snapshot: Snapshot, camera: str = OVERVIEW) -> np.ndarray:
        """Draw an image.

        Args:
            snapshot: state of the simulation.
            camera: name of a camera in the model.

        Returns:
            Array (height, width, 3) of uint8: red, green, blue.
        """
        self._data.qpos[:] = snapshot.positions
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_camlight(self._model, self._data)
        self._renderer.update_scene(self._data, camera)
        return self._renderer.render()

    def save(self, snapshot: Snapshot, path: Union[str, Path], camera: str = OVERVIEW) -> Path:
        """Write an image; PNG, JPEG or WebP by the file's name.

        Args:
            snapshot: state of the simulation.
            path: the file to write.
            camera: name of a camera in the model.

        Returns:
            Path of the file.
        """
        file = Path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(self.draw(snapshot, camera)).save(file, quality=_QUALITY)
        return file


def save_animation(pictures: Sequence[np.ndarray], path: Union[str, Path], seconds: float) -> Path:
    """Write images as an animated WebP.

    Args:
        pictures: arrays (height, width, 3) of uint8.
        path: the file to write.
        seconds: duration of each image.

    Returns:
        Path of the file.

    Raises:
        ValueError: without images.
    """
    if not pictures:
        raise ValueError("an animation needs at least one picture")
    frames: List[Image.Image] = [Image.fromarray(picture) for picture in pictures]
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    frames[0].save(file, save_all=True, append_images=frames[1:], duration=int(1000 * seconds), loop=0,
                   quality=70, method=2)
    return file
