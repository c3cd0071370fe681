"""The ROS kit: action client and server, services, TF, conversions, and the core's ports over ROS."""
