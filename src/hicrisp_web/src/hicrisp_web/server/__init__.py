"""The web server: pages, streams and actions, and who may do them. ROS is not known here."""
