"""The workspace of a machine: extremes of its legs, maps of poses, proofs over whole boxes.

Poses are coordinates x, y, z, alpha, beta, gamma [m, rad] with M = Rz(alpha) Ry(beta) Rx(gamma).
"""

from platform6dof.workspace.leg_extremes import LegExtremes, PoseBox, PoseSample, extremes, sample

__all__ = ["LegExtremes", "PoseBox", "PoseSample", "extremes", "sample"]
