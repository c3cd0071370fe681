"""The suite ``search``."""
