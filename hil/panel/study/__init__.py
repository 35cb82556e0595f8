"""A recording looked at afterwards: replay, and two runs over each other."""
