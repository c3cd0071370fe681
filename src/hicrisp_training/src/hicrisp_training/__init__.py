"""The embedded language model's training: sentences with their goals, an adapter, and what it can do."""
