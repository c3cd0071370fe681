"""The five doors and the command line: thin nodes over hicrisp_core and the ROS kit."""
