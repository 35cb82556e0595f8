"""Moving the robot alone: to a place, by keys, along a recorded path; by gate and link of a run."""
