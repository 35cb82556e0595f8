"""Faults that stop a diagram."""


class StoppedError(ArithmeticError):
    """A block cannot continue; the diagram remains at that tick."""

    def __init__(self, path: str, why: str, tick: int, time_s: float) -> None:
        super().__init__(f"{path} {why}, tick {tick} ({time_s:g} s)")
        self.path = path
        self.tick = tick
        self.time_s = time_s


class NonFiniteError(StoppedError):
    """A block made a number that is not finite."""

    def __init__(self, path: str, tick: int, time_s: float) -> None:
        super().__init__(path, "made a number that is not finite", tick, time_s)


class ModelFailedError(StoppedError):
    """An FMU of the diagram does not continue; its process has ended, or will."""

    def __init__(self, path: str, why: str, tick: int, time_s: float) -> None:
        super().__init__(path, f"does not go on, the model failed: {why}", tick, time_s)
