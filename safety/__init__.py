"""The last gate before the drives: standard library only, readable in one sitting."""


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version  # when it is asked for: the gate's process never does

    return version("hil-bench")
