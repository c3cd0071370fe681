"""The suite ``prompts``."""
