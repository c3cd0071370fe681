"""The suite ``attacks``."""
