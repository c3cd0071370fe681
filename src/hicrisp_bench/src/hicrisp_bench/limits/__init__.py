"""The suite ``limits``."""
