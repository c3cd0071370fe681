"""The suite ``brains``."""
