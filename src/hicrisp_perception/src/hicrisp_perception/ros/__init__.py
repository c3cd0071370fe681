"""The camera's topics in, tracks out; and the command lines that use a running system."""
