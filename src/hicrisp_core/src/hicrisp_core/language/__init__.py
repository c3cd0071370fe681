"""From a user's words to facts, goals and drives, without a model."""
