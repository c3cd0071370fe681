"""Goals: read from writing, checked against domain and world, judged on facts, put in words, made searchable."""
