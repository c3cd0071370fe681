"""From steps to aimed commands."""
