"""Station `task`: a robot does a task in a world that is drawn, and is judged."""
