"""Station `arm`: a robot that repeats the motion of a simulated space arm."""
