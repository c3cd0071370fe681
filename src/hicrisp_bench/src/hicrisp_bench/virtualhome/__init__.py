"""VirtualHome as one more world: its scene graph, its executor and the recorded plans of fifteen language models."""
