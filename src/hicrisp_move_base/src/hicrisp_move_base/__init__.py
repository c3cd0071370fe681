"""A driver for bases that run move_base."""
