"""A Panda at a table, simulated in one process: physics, planning, pictures and faults on request."""
