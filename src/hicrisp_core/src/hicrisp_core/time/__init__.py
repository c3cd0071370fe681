"""Deadlines, events and bounded calls: every wait in the workspace has an end."""
