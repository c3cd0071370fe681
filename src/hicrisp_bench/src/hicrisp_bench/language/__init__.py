"""The suite ``language``."""
