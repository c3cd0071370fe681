"""Learning: packs of samples, the loop, and checkpoints."""
