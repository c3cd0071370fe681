"""The rospy nodes: they give the ports of hicrisp_core their ROS hands."""
