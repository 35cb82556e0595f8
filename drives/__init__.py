"""Six-axis drive banks: one interface, and behind it the simulated cylinders and the real buses."""


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version  # when it is asked for: the gate's process never does

    return version("hil-bench")
