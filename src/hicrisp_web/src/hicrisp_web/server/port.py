"""The port of the page where nobody says another; alone here, for command lines that need no server."""

PORT = 8642
