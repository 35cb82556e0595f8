"""Motion sources: setpoints of the platform as a function of time."""
