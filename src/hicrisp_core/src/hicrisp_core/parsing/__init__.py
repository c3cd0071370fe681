"""Reading models' answers: whatever they write becomes steps, or an error that quotes the place."""
