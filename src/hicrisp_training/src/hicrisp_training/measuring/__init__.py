"""What an adapter can do: right, asked, refused, wrong, and how well it knows."""
