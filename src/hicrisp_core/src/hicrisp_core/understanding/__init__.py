"""From what users say to what it means: interpreters, the form in which models answer, and the verifier."""
