"""Recordings of runs that other tools open: a rosbag and an MCAP file beside the report."""

BAG, MCAP = "run.bag", "run.mcap"
"""Their names in a run folder."""
