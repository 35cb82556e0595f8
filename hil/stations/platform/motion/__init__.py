"""Motion sources: what the platform is asked to do, as a function of time."""
