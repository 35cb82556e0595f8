"""Sources of a robot's setpoints: motions planned ahead, operators, other machines."""
