"""Algorithm 1 over ports."""
