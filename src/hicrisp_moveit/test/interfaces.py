"""The interfaces of MoveIt, ros_control and Franka, as far as the driver uses them, where their packages are
missing.

Debian 12 has none of them. A table of fields becomes Python modules of the real names, made by ROS' own
generator. A field that is not in the table cannot be used by accident; where the real packages are, the table
is compared to them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Iterator, Mapping, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "hicrisp_bringup/test/support"))

from message_packages import Table, definitions, provide  # noqa: E402

PACKAGES: Mapping[str, Table] = {
    "shape_msgs": {"SolidPrimitive.msg": "uint8 BOX=1; uint8 CYLINDER=3; uint8 type; float64[] dimensions"},
    "moveit_msgs": {
        "MoveItErrorCodes.msg": "int32 val; int32 SUCCESS=1",
        "RobotTrajectory.msg": "trajectory_msgs/JointTrajectory joint_trajectory",
        "CollisionObject.msg": "Header header; geometry_msgs/Pose pose; string id; "
                               "shape_msgs/SolidPrimitive[] primitives; geometry_msgs/Pose[] "
                               "primitive_poses; byte ADD=0; byte REMOVE=1; byte operation",
        "AttachedCollisionObject.msg": "string link_name; CollisionObject object; string[] touch_links",
        "AllowedCollisionEntry.msg": "bool[] enabled",
        "AllowedCollisionMatrix.msg": "string[] entry_names; AllowedCollisionEntry[] entry_values; "
                                      "string[] default_entry_names; bool[] default_entry_values",
        "RobotState.msg": "sensor_msgs/JointState joint_state; AttachedCollisionObject[] "
                          "attached_collision_objects; bool is_diff",
        "PlanningSceneWorld.msg": "CollisionObject[] collision_objects",
        "PlanningScene.msg": "RobotState robot_state; AllowedCollisionMatrix allowed_collision_matrix; "
                             "PlanningSceneWorld world; bool is_diff",
        "PlanningSceneComponents.msg": "uint32 ROBOT_STATE_ATTACHED_OBJECTS=4; uint32 WORLD_OBJECT_NAMES=8; "
                                       "uint32 WORLD_OBJECT_GEOMETRY=16; uint32 "
                                       "ALLOWED_COLLISION_MATRIX=128; uint32 components",
        "ContactInformation.msg": "string contact_body_1; uint32 body_type_1; string contact_body_2; "
                                  "uint32 body_type_2; uint32 ROBOT_LINK=0; uint32 WORLD_OBJECT=1; "
                                  "uint32 ROBOT_ATTACHED=2",
        "PositionIKRequest.msg": "string group_name; RobotState robot_state; bool avoid_collisions; string "
                                 "ik_link_name; geometry_msgs/PoseStamped pose_stamped; duration timeout",
        "PlannerInterfaceDescription.msg": "string name; string pipeline_id; string[] planner_ids",
        "GetCartesianPath.srv": "Header header; RobotState start_state; string group_name; string link_name; "
                                "geometry_msgs/Pose[] waypoints; float64 max_step; bool avoid_collisions; "
                                "---; RobotTrajectory solution; float64 fraction; MoveItErrorCodes "
                                "error_code",
        "GetPositionIK.srv": "PositionIKRequest ik_request; ---; RobotState solution; MoveItErrorCodes "
                             "error_code",
        "GetStateValidity.srv": "RobotState robot_state; string group_name; ---; bool valid; "
                                "ContactInformation[] contacts",
        "ApplyPlanningScene.srv": "PlanningScene scene; ---; bool success",
        "GetPlanningScene.srv": "PlanningSceneComponents components; ---; PlanningScene scene",
        "QueryPlannerInterfaces.srv": "---; PlannerInterfaceDescription[] planner_interfaces",
        "ExecuteTrajectory.action": "RobotTrajectory trajectory; ---; MoveItErrorCodes error_code; ---; "
                                    "string state",
    },
    "control_msgs": {
        "GripperCommand.msg": "float64 position; float64 max_effort",
        "GripperCommand.action": "GripperCommand command; ---; float64 position; bool stalled; bool "
                                 "reached_goal; ---",
        "FollowJointTrajectory.action": "trajectory_msgs/JointTrajectory trajectory; ---; "
                                        "int32 error_code; string error_string; ---",
    },
    "franka_gripper": {
        "GraspEpsilon.msg": "float64 inner; float64 outer",
        "Grasp.action": "float64 width; GraspEpsilon epsilon; float64 speed; float64 force; ---; "
                        "bool success; string error; ---",
        "Move.action": "float64 width; float64 speed; ---; bool success; string error; ---",
        "Homing.action": "---; bool success; string error; ---",
        "Stop.action": "---; bool success; string error; ---",
    },
    "franka_msgs": {
        "Errors.msg": "bool joint_reflex; bool cartesian_reflex; bool power_limit_violation",
        "FrankaState.msg": "Header header; float64[6] O_F_ext_hat_K; uint8 ROBOT_MODE_OTHER=0; "
                           "uint8 ROBOT_MODE_IDLE=1; uint8 ROBOT_MODE_MOVE=2; uint8 ROBOT_MODE_GUIDING=3; "
                           "uint8 ROBOT_MODE_REFLEX=4; uint8 ROBOT_MODE_USER_STOPPED=5; uint8 robot_mode; "
                           "Errors current_errors; Errors last_motion_errors",
        "SetForceTorqueCollisionBehavior.srv":
            "float64[7] lower_torque_thresholds_nominal; float64[7] upper_torque_thresholds_nominal; "
            "float64[6] lower_force_thresholds_nominal; float64[6] upper_force_thresholds_nominal; ---; "
            "bool success; string error",
        "ErrorRecovery.action": "---; ---",
    },
    # How the reference commander asks the reference move_group; the real one uses the action move_group.
    "hicrisp_reference": {
        "Plan.srv": "string group; string planner; float64 planning_time; float64 velocity; float64 "
                    "acceleration; geometry_msgs/Pose[] pose; float64[] joints; ---; "
                    "moveit_msgs/RobotTrajectory trajectory; moveit_msgs/MoveItErrorCodes error_code",
    },
}
_OURS = "hicrisp_reference"


def install(folder: Path) -> None:
    """Make the packages that are missing importable, in a folder."""
    for package, table in PACKAGES.items():
        provide(package, table, folder)


def fields() -> Iterator[Tuple[str, str, str, str]]:
    """Every field of the table: module, message, type, name; constants are left out."""
    for package, table in PACKAGES.items():
        for name, text in definitions(table).items():
            stem, kind = name.split(".")
            parts = ("Request", "Response") if kind == "srv" else ("",)
            for part, lines in zip(parts, text.split("---")):
                for type_, _, field in (line.partition(" ") for line in lines.split("\n") if line):
                    if "=" not in field and package != _OURS:
                        yield f"{package}.{kind}", f"{stem}{part}", type_, field
