"""A suite's figures as pictures for print and screen: what they show, and how they are drawn."""
