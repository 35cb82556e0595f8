"""What tells the robot of a run where to be: motions laid out ahead, operators, other people."""
