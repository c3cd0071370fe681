"""The suite ``faults``."""
