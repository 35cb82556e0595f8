"""What stops a diagram that runs."""


class NonFiniteError(ArithmeticError):
    """A block made a number that is not finite; the diagram stands at that tick."""

    def __init__(self, path: str, tick: int, time_s: float) -> None:
        super().__init__(f"{path} made a number that is not finite, tick {tick} ({time_s:g} s)")
        self.path = path
        self.tick = tick
        self.time_s = time_s
