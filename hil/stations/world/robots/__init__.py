"""Documents of robots as settings files."""
