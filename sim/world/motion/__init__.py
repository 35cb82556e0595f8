"""Motions of jointed robots: chains, inverse kinematics, straight lines, timing."""
