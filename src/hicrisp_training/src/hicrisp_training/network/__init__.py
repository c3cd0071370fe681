"""The base model in PyTorch, its tokens, the adapter, and the files of all three."""
