"""Talking to language models: one client for every endpoint that speaks chat completions."""
