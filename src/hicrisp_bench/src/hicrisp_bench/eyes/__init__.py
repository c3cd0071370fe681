"""The suite ``eyes``."""
