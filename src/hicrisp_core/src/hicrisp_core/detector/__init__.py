"""From poses to verdicts."""
