"""Interfaces to robots and what is written once over them."""
