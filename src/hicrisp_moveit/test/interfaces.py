"""The interfaces of MoveIt, ros_control and Franka, as far as the driver uses them, where their packages are missing.

Debian 12 has none of them. A table of fields becomes Python modules of the real names, made by ROS' own generator. A
field that is not in the table cannot be used by accident; where the real packages are, the table is compared to them.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Dict, Iterator, List, Mapping, Tuple

import rospkg
from genpy.generate_initpy import write_modules
from genpy.generator import MsgGenerator, SrvGenerator

MESSAGES: Mapping[str, Mapping[str, str]] = {
    "shape_msgs": {"SolidPrimitive": "uint8 BOX=1; uint8 CYLINDER=3; uint8 type; float64[] dimensions"},
    "moveit_msgs": {
        "MoveItErrorCodes": "int32 val; int32 SUCCESS=1",
        "RobotTrajectory": "trajectory_msgs/JointTrajectory joint_trajectory",
        "CollisionObject": "Header header; geometry_msgs/Pose pose; string id; shape_msgs/SolidPrimitive[] primitives; "
                           "geometry_msgs/Pose[] primitive_poses; byte ADD=0; byte REMOVE=1; byte operation",
        "AttachedCollisionObject": "string link_name; CollisionObject object; string[] touch_links",
        "AllowedCollisionEntry": "bool[] enabled",
        "AllowedCollisionMatrix": "string[] entry_names; AllowedCollisionEntry[] entry_values; "
                                  "string[] default_entry_names; bool[] default_entry_values",
        "RobotState": "sensor_msgs/JointState joint_state; AttachedCollisionObject[] attached_collision_objects; "
                      "bool is_diff",
        "PlanningSceneWorld": "CollisionObject[] collision_objects",
        "PlanningScene": "RobotState robot_state; AllowedCollisionMatrix allowed_collision_matrix; "
                         "PlanningSceneWorld world; bool is_diff",
        "PlanningSceneComponents": "uint32 ROBOT_STATE_ATTACHED_OBJECTS=4; uint32 WORLD_OBJECT_NAMES=8; "
                                   "uint32 WORLD_OBJECT_GEOMETRY=16; uint32 ALLOWED_COLLISION_MATRIX=128; "
                                   "uint32 components",
        "ContactInformation": "string contact_body_1; uint32 body_type_1; string contact_body_2; uint32 body_type_2; "
                              "uint32 ROBOT_LINK=0; uint32 WORLD_OBJECT=1; uint32 ROBOT_ATTACHED=2",
        "PositionIKRequest": "string group_name; RobotState robot_state; bool avoid_collisions; string ik_link_name; "
                             "geometry_msgs/PoseStamped pose_stamped; duration timeout",
        "PlannerInterfaceDescription": "string name; string pipeline_id; string[] planner_ids",
    },
    "control_msgs": {"GripperCommand": "float64 position; float64 max_effort"},
    "franka_gripper": {"GraspEpsilon": "float64 inner; float64 outer"},
    "franka_msgs": {
        "Errors": "bool joint_reflex; bool cartesian_reflex; bool power_limit_violation",
        "FrankaState": "Header header; float64[6] O_F_ext_hat_K; uint8 ROBOT_MODE_OTHER=0; uint8 ROBOT_MODE_IDLE=1; "
                       "uint8 ROBOT_MODE_MOVE=2; uint8 ROBOT_MODE_GUIDING=3; uint8 ROBOT_MODE_REFLEX=4; "
                       "uint8 ROBOT_MODE_USER_STOPPED=5; uint8 robot_mode; Errors current_errors; "
                       "Errors last_motion_errors",
    },
    "hicrisp_reference": {},
}
SERVICES: Mapping[str, Mapping[str, Tuple[str, str]]] = {
    "moveit_msgs": {
        "GetCartesianPath": (
            "Header header; RobotState start_state; string group_name; string link_name; "
            "geometry_msgs/Pose[] waypoints; float64 max_step; bool avoid_collisions",
            "RobotTrajectory solution; float64 fraction; MoveItErrorCodes error_code"),
        "GetPositionIK": ("PositionIKRequest ik_request", "RobotState solution; MoveItErrorCodes error_code"),
        "GetStateValidity": ("RobotState robot_state; string group_name", "bool valid; ContactInformation[] contacts"),
        "ApplyPlanningScene": ("PlanningScene scene", "bool success"),
        "GetPlanningScene": ("PlanningSceneComponents components", "PlanningScene scene"),
        "QueryPlannerInterfaces": ("", "PlannerInterfaceDescription[] planner_interfaces"),
    },
    "franka_msgs": {
        "SetForceTorqueCollisionBehavior": (
            "float64[7] lower_torque_thresholds_nominal; float64[7] upper_torque_thresholds_nominal; "
            "float64[6] lower_force_thresholds_nominal; float64[6] upper_force_thresholds_nominal",
            "bool success; string error"),
    },
    # How the reference commander asks the reference move_group; the real one uses the action move_group.
    "hicrisp_reference": {
        "Plan": ("string group; string planner; float64 planning_time; float64 velocity; float64 acceleration; "
                 "geometry_msgs/Pose[] pose; float64[] joints",
                 "moveit_msgs/RobotTrajectory trajectory; moveit_msgs/MoveItErrorCodes error_code"),
    },
}
ACTIONS: Mapping[str, Mapping[str, Tuple[str, str, str]]] = {
    "moveit_msgs": {"ExecuteTrajectory": ("RobotTrajectory trajectory", "MoveItErrorCodes error_code", "string state")},
    "control_msgs": {
        "GripperCommand": ("GripperCommand command", "float64 position; bool stalled; bool reached_goal", ""),
        "FollowJointTrajectory": ("trajectory_msgs/JointTrajectory trajectory",
                                  "int32 error_code; string error_string", ""),
    },
    "franka_gripper": {
        "Grasp": ("float64 width; GraspEpsilon epsilon; float64 speed; float64 force", "bool success; string error",
                  ""),
        "Move": ("float64 width; float64 speed", "bool success; string error", ""),
        "Homing": ("", "bool success; string error", ""),
        "Stop": ("", "bool success; string error", ""),
    },
    "franka_msgs": {"ErrorRecovery": ("", "", "")},
}
_OURS = "hicrisp_reference"
_STANDARD = ("std_msgs", "geometry_msgs", "sensor_msgs", "trajectory_msgs", "actionlib_msgs")


def install(folder: Path) -> List[str]:
    """Make the packages that are missing importable, in a folder; their names."""
    missing = [name for name in MESSAGES if find_spec(name) is None]
    files = {name: list(_write(name, folder / "share" / name)) for name in missing}
    search = {name: [str(folder / "share" / name / "msg")] for name in missing}
    packages = rospkg.RosPack()
    present = [*_STANDARD, *(name for name in MESSAGES if name not in missing and name != _OURS)]
    search.update({name: [f"{packages.get_path(name)}/msg"] for name in present})
    for name in missing:
        for kind, generator in (("msg", MsgGenerator()), ("srv", SrvGenerator())):
            chosen = [str(file) for file in files[name] if file.suffix == f".{kind}"]
            target = folder / "python" / name / kind
            target.mkdir(parents=True)
            if chosen and generator.generate_messages(name, chosen, str(target), search) != 0:
                raise RuntimeError(f"the generator did not make {name}/{kind}")
            write_modules(str(target))
        (folder / "python" / name / "__init__.py").touch()
    sys.path.insert(0, str(folder / "python"))
    importlib.invalidate_caches()
    return missing


def fields() -> Iterator[Tuple[str, str, str, str]]:
    """Every field of the table: module, message, type, name; constants are left out."""
    for package in MESSAGES:
        if package == _OURS:
            continue
        parts = [("msg", name, lines) for name, lines in _messages(package)]
        for name, (request, response) in SERVICES.get(package, {}).items():
            parts += [("srv", f"{name}Request", _lines(request)), ("srv", f"{name}Response", _lines(response))]
        for folder, name, lines in parts:
            for kind, _, field in (line.partition(" ") for line in lines):
                if "=" not in field:
                    yield f"{package}.{folder}", name, kind, field


def _messages(package: str) -> Iterator[Tuple[str, List[str]]]:
    """The messages of a package with their lines, those of its actions too."""
    for name, text in MESSAGES[package].items():
        yield name, _lines(text)
    for name, parts in ACTIONS.get(package, {}).items():
        for part, text in zip(("Goal", "Result", "Feedback"), parts):
            yield f"{name}{part}", _lines(text)
        for part in ("Goal", "Result", "Feedback"):
            status = "actionlib_msgs/GoalID goal_id" if part == "Goal" else "actionlib_msgs/GoalStatus status"
            yield f"{name}Action{part}", ["Header header", status, f"{name}{part} {part.lower()}"]
        yield f"{name}Action", [f"{name}Action{part} action_{part.lower()}" for part in ("Goal", "Result", "Feedback")]


def _write(package: str, folder: Path) -> Iterator[Path]:
    """The definitions of a package as files."""
    texts: Dict[str, List[str]] = {f"msg/{name}.msg": lines for name, lines in _messages(package)}
    for name, (request, response) in SERVICES.get(package, {}).items():
        texts[f"srv/{name}.srv"] = [*_lines(request), "---", *_lines(response)]
    for name, lines in texts.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines) + "\n")
        yield file


def _lines(text: str) -> List[str]:
    return [line.strip() for line in text.split(";") if line.strip()]
