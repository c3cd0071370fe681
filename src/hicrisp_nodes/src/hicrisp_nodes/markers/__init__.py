"""What is known of the world and of a run as shapes in space, for RViz and Foxglove."""
