"""The industrial arm: kinematics and the RS-232 link of the contour mode."""
