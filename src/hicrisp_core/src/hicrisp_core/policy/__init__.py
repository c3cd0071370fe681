"""Which parts of the three systems are on, and their limits."""
