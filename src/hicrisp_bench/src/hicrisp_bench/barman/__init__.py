"""The suite ``barman``."""
