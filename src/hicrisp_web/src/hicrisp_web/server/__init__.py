"""The web server: pages, streams and deeds, and who may do them. ROS is not known here."""
