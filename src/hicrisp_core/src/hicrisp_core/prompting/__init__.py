"""Prompts: templates in files, the world in words, and untrusted text kept apart."""
