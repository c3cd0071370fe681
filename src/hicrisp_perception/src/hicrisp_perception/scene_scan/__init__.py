"""A scene file from pictures of a table that no file describes."""
