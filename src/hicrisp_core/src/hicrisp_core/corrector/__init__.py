"""From failures to corrections."""
