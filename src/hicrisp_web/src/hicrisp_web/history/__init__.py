"""Past runs: found by their folders, filtered, compared, and replayed from their events."""
