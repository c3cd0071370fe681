"""The brain of the AGV's trials over ROS, apart from the suite: a node starts without the simulation."""
