"""What the page shows, as sections of JSON values; neither ROS nor the web is known here."""
