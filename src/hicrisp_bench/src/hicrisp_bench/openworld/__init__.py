"""The suite ``openworld``."""
