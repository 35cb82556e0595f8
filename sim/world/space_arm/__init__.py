"""A space manipulator in real time: rigid-body dynamics, joint drives, and integrators for both.

After I. R. Belousov, "Real-time simulation of the dynamics of a space manipulator" (Keldysh
Institute, 1993), with the means of today. Any six-joint revolute arm on a fixed base.
"""
