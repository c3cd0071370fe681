"""What is screwed on something else."""

SCREWED_ON = "screwed_on"
"""The predicate of a cap that is on its bottle."""
