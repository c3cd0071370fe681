"""The dashboard: what a run's events and the live topics show, as a page in the browser."""
