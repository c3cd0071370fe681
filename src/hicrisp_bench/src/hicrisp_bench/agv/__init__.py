"""The suite ``agv``."""
