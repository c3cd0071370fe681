"""What the supervisor is made of: the queue of tasks, the gate, the ports over ROS, and what it publishes."""
