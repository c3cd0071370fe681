"""What the parts of the system ask each other and answer; contracts, no behaviour."""
