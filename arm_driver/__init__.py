"""The industrial arm: kinematics and the RS-232 link of the contour mode."""


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version  # when it is asked for: the gate's process never does

    return version("hil-bench")
