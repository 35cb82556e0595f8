"""The contour link: waypoints over RS-232, asked for by the controller's own program."""
