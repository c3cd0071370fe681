"""From frames to sentences with their goals: invented scenes, noun phrases, slips of the pen."""
