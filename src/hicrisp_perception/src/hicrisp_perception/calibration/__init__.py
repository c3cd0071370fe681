"""Where a camera is: its calibration with an arm, and the check of its mounting."""
