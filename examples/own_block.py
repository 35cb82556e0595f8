"""A block of one's own for functional diagrams: here one is checked and run from Python.

python examples/own_block.py

Its distribution offers it to the bench, and any diagram may have a block of `kind = "Kalman1"`:

    [project.entry-points."hil.blocks"]
    Kalman1 = "own_block:KALMAN1"
"""

from typing import Any

from hil.diagram.library.kind import BlockKind, Example, ParameterKind, PortKind, Ports


def estimate(u: Any, y: Any, x: Any, p: Any, H: float) -> None:
    """Outputs of a tick: the estimate with what is measured, and its variance."""
    before = x[1] + p[0] * H
    gain = before / (before + p[1])
    y[0] = x[0] + gain * (u[0] - x[0])
    y[1] = (1.0 - gain) * before


def remember(u: Any, y: Any, x: Any, p: Any, H: float) -> None:
    """States of the next tick."""
    x[0] = y[0]
    x[1] = y[1]


KALMAN1 = BlockKind(
    name="Kalman1",
    group="laboratory",
    about="Estimates a quantity that wanders, measured with noise (Kalman 1960).",
    equation="P = P[k-1] + q H, K = P/(P + r), y = y[k-1] + K (u - y[k-1]), variance = (1 - K) P",
    ports=Ports((PortKind("u", "1", ()),), (PortKind("y", "1", ()), PortKind("variance", "1", ()))),
    parameters=(
        ParameterKind("q", default=1.0, low=0.0, unit="1/s", about="how fast it wanders"),
        ParameterKind("r", default=0.1, above=0.0, about="variance of the noise"),
    ),
    direct=frozenset({("u", "y")}),
    states=lambda p, setting: 2,
    initial=lambda p, setting: (0.0, 1.0),
    functions=(estimate, remember),
    example=Example({"q": 0.5, "r": 0.2}, {"u": 1.0}),
)


def main() -> None:
    """Ten ticks of a constant, by the functions as they are."""
    x, y, p = [0.0, 1.0], [0.0, 0.0], [0.5, 0.2]
    for _ in range(10):
        estimate([1.0], y, x, p, 0.001)
        remember([1.0], y, x, p, 0.001)
    print(f"estimate {y[0]:.4f}, variance {y[1]:.4f}")


if __name__ == "__main__":
    main()
