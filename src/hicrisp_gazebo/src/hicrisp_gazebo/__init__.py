"""Gazebo as one of the worlds: models of a scene, poses as TF, faults and resets over Gazebo's services."""
