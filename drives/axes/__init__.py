"""Six CiA 402 drives as axes: their states, homing, first motion and scaling, on any bus."""
