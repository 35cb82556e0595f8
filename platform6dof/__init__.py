"""Mathematics of a six-legged platform: pure functions of poses and lengths, no clock, no files.

Frames: B is the base, P the moving platform. ``X_BP`` is the pose of P in B. Twists are written
``[v; omega]``, in base axes, of P's origin.
Legs are numbered 1..6 towards people and 0..5 in arrays. SI units throughout.
"""
