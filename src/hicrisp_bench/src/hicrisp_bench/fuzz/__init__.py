"""The suite ``fuzz``."""
