"""Mathematics of a six-legged platform: pure functions of poses and lengths, no clock, no files.

Frames: B is the base, P the moving platform. ``X_BP`` is the pose of P in B. Twists are written
``[v; omega]``, in base axes, of P's origin.
Legs are numbered 1..6 towards people and 0..5 in arrays. SI units throughout.
"""


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version  # when it is asked for: the gate's process never does

    return version("hil-bench")
