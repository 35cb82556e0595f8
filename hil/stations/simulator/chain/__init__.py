"""Chain from a vehicle's motion to the platform's setpoint, cycle by cycle."""
