"""An arm and a base in one simulated world."""
