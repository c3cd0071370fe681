"""The running workspace: its topics onto the board, and the page's actions to its services."""
