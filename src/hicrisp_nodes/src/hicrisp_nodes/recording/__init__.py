"""Recordings of runs that other tools open: a rosbag and an MCAP file beside the report."""
