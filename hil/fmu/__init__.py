"""Models of others (FMI 2.0 and 3.0), run in a child process; and our own as models."""
