"""What finished runs leave for later ones: tasks that went well, corrections that worked, learnt offsets."""
