"""Forces, torques, power, stiffness: the platform as a machine with masses and drives."""
