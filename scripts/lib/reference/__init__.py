"""The pages of the reference, written from the sources: interfaces, nodes, launch files, keys and commands."""
