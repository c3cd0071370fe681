"""The running workspace: its topics onto the board, and the page's deeds to its services."""
