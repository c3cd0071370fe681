"""A task of the benchmark: its process, what it says of itself, and what that is in our words."""

from __future__ import annotations

from pathlib import Path
from typing import Optional, Tuple

import numpy as np
from hicrisp_core.config.files import config_file
from hicrisp_core.domain import load_domain
from hicrisp_core.model import Pose

from hicrisp_libero.client import LONG, Benchmark
from hicrisp_libero.description import LIBERO, Description
from hicrisp_libero.scene_from_model import pose_from


class BenchmarkTask:
    """A task of the benchmark: its process, what it says of itself, and what that is in our words.

    Args:
        description: the task and its start.
        benchmark: the process.
        state: the first state, where the process has just made it.
    """

    def __init__(self, description: Description, benchmark: Benchmark, state: Optional[np.ndarray] = None) -> None:
        self.benchmark = benchmark
        self.domain = load_domain(config_file("domains", LIBERO))
        self.begin(description, state)

    def begin(self, description: Description, state: Optional[np.ndarray] = None) -> None:
        """Begin this task, another one, or another start.

        Args:
            description: the task and its start.
            state: the first state, where the process has just made it.
        """
        self.suite, self.number = description.suite, description.task
        self.actions = 0
        """Steps of its environment until its goal held."""
        self.words, self.measured = description.in_words(self.domain)
        self.scene = self.measured.scene
        """The scene as our planning knows it."""
        self.free = [self.words.names[name] for name in description.told["free"]]
        self.state = state if state is not None else self.benchmark.ask("make", seconds=LONG, suite=description.suite,
            task=description.task, init=description.init)[1]

    def step(self, wanted: np.ndarray, steps: int) -> None:
        """Have the physics step.

        Args:
            wanted: array (15,): the joints' positions and velocities, rad and rad/s, and where each finger shall be,
                metres from the middle.
            steps: of the physics.
        """
        _, self.state = self.benchmark.ask("step", wanted, steps=steps)

    def picture(self, camera: str, size: Tuple[int, int]) -> Tuple[np.ndarray, np.ndarray, Pose]:
        """Take a picture with one of the benchmark's cameras.

        Args:
            camera: its name in the benchmark.
            size: width and height, pixels.

        Returns:
            Red, green and blue (height, width, 3) as uint8; depth along the axis (height, width), float32, metres; the
            camera in our world frame, z back and y up.
        """
        about, numbers = self.benchmark.ask("picture", seconds=LONG, camera=camera, width=size[0], height=size[1])
        seen = numbers.reshape(size[1], size[0], 4)
        pose = self.measured.origin.inverse().compose(pose_from(about["pose"]))
        return seen[..., :3].astype(np.uint8), seen[..., 3].astype(np.float32), pose

    def act(self, action: np.ndarray) -> None:
        """Have the benchmark's environment step.

        Args:
            action: array (7,), each from -1 to 1.
        """
        self.actions += not self.success
        _, self.state = self.benchmark.ask("act", action)

    def move(self, name: str, pose: Pose) -> None:
        """Put an object elsewhere in the physics, at rest.

        Args:
            name: of the object, in our words.
            pose: world frame.
        """
        body = self.measured.origin.compose(pose).compose(self.measured.placed[name].inverse())
        theirs = next(each for each, own in self.words.names.items() if own == name)
        _, self.state = self.benchmark.ask("move", [*body.position, *body.orientation], name=theirs)

    def save_picture(self, file: Path, camera: str = "agentview") -> None:
        """Save what one of the benchmark's cameras sees.

        Args:
            file: PNG or JPEG by its name.
            camera: name of the camera.
        """
        from PIL import Image  # Most episodes need no picture.

        Image.fromarray(self.picture(camera, (512, 512))[0]).save(file)

    @property
    def instruction(self) -> str:
        """The task in the benchmark's words."""
        return self.scene.task

    @property
    def success(self) -> bool:
        """Whether the benchmark's judge has seen its goal hold at the end of one of its steps, which is when it ends an
        episode.
        """
        return bool(self.state[2])

    @property
    def holds(self) -> bool:
        """Whether its judge sees the goal hold now."""
        return bool(self.state[1])
