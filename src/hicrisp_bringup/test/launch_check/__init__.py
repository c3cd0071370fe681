"""A check of launch files without the packages they start: what is there, what is missing, by file and
line.
"""
