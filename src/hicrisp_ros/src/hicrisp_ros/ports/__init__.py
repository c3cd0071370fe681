"""The ports of hicrisp_core over ROS: brain, body, detector, corrector, robots and observers behind their nodes."""
