"""Reading configuration files."""
