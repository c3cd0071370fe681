"""The fields of the few of Gazebo's messages that the nodes speak."""

GAZEBO_MSGS = {
    "ModelState.msg": "string model_name; geometry_msgs/Pose pose; geometry_msgs/Twist twist; string "
                      "reference_frame",
    "ModelStates.msg": "string[] name; geometry_msgs/Pose[] pose; geometry_msgs/Twist[] twist",
    "SpawnModel.srv": "string model_name; string model_xml; string robot_namespace; geometry_msgs/Pose "
                      "initial_pose; string reference_frame; ---; bool success; string status_message",
    "SetModelState.srv": "gazebo_msgs/ModelState model_state; ---; bool success; string status_message",
    "GetModelState.srv": "string model_name; string relative_entity_name; ---; Header header; "
                         "geometry_msgs/Pose pose; geometry_msgs/Twist twist; bool success; string "
                         "status_message",
    "GetWorldProperties.srv": "---; float64 sim_time; string[] model_names; bool rendering_enabled; bool success; "
                              "string status_message",
    "DeleteModel.srv": "string model_name; ---; bool success; string status_message",
}
CONTROL_MSGS = {
    "GripperCommand.msg": "float64 position; float64 max_effort",
    "GripperCommand.action": "GripperCommand command; "
                             "---; float64 position; float64 effort; bool stalled; bool reached_goal; "
                             "---; float64 position; float64 effort; bool stalled; bool reached_goal",
}
