"""A driver for arms behind MoveIt."""
