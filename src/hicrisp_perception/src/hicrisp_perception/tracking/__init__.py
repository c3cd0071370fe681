"""What is known of each object from picture to picture: held, hidden, gone, or unknown to the scene."""
