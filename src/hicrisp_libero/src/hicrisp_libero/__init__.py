"""The LIBERO benchmarks as a world: what their files say, their simulator behind a pipe, and their judge."""
