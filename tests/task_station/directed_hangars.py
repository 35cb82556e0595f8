"""Hangars in which one rule of driving is decided, as settings of the task `container`."""

from collections.abc import Iterable

Thing = tuple[str, float, float, float]
"""Kind of an obstacle, its place x, y [m], its turn [deg]."""
PLACES = {
    "start_at_m": (-4.0, 0.0), "start_heading_deg": 0.0, "container_at_m": (2.6, 0.0),
    "bin_at_m": (2.6, 3.1), "passage": False,
}  # fmt: skip
"""Start, container and bin of every case; obstacles stand between start and container."""
X_M = -1.2
"""Where they stand."""
BODY_M = 0.54
"""Width of `mf4_wheels` over its wheels [m]."""


def row(kind: str, x_m: float, first_m: float, last_m: float, step_m: float) -> Iterable[Thing]:
    """Obstacles side by side along y, from the middle of the first to that of the last."""
    for number in range(round(abs(last_m - first_m) / step_m) + 1):
        sign = 1.0 if last_m >= first_m else -1.0
        yield kind, x_m, first_m + sign * number * step_m, 90.0


def wall_with_passage(gap_m: float) -> list[Thing]:
    """A wall of crates across the hangar with one passage about y = 0."""
    half = 0.5 * gap_m + 0.3
    return [*row("crate", X_M, half, half + 4.2, 0.6), *row("crate", X_M, -half, -half - 4.2, 0.6)]


def ring(radius_m: float, count: int) -> list[Thing]:
    """Barrels in a closed circle about the start."""
    import math

    x, y = PLACES["start_at_m"]
    angles = [math.tau * number / count for number in range(count)]
    return [("barrel", x + radius_m * math.cos(a), y + radius_m * math.sin(a), 0.0) for a in angles]


DIRECTED: dict[str, list[Thing]] = {
    "thin pole ahead": [("pole", X_M, 0.0, 0.0)],
    "thin pole between beams": [("pole", X_M, 0.09, 0.0)],
    "thin pole at the corner": [("pole", X_M, 0.24, 0.0)],
    "goal near an object": [("barrel", 1.5, 0.77, 0.0)],
    "left neighbour": [("barrel", X_M, 0.0, 0.0), ("barrel", X_M - 0.6, 1.25, 0.0)],
    "second object while following": [("barrel", X_M, 0.0, 0.0), ("barrel", X_M + 0.2, -1.4, 0.0),
                                      ("barrel", X_M + 0.2, 1.4, 0.0)],
    "wall beside an obstacle": [("barrel", X_M, -0.3, 0.0), ("crate", X_M, 0.25, 0.0),
                                *(("crate", X_M - 0.9 + 0.6 * k, 1.9, 0.0) for k in range(5))],
    "3 m wall": list(row("crate", X_M, 1.2, -1.2, 0.6)),
    "U-trap": [*row("crate", X_M, 0.9, -0.9, 0.6),
               *(("crate", X_M - 0.55 - 0.6 * k, side, 0.0) for k in range(2)
                 for side in (-0.9, 0.9))],
    "pallet alone": [("pallet", X_M, 0.1, 20.0)],
    "passage of the body and 7 cm": wall_with_passage(BODY_M + 0.07),
    "closed ring": ring(1.5, 14),
}  # fmt: skip
"""Obstacles of each case."""
SEEDS = {"goal near an object": 68}
"""Seed of a case, where not 1: the container's bar is seized in line with the way there."""
CLOSED = ("passage of the body and 7 cm", "closed ring")
"""Cases without a way, which are to end as `blocked`."""


def settings(case: str) -> list[str]:
    """Options of `hil run container` for a case."""
    things = ", ".join(
        f"{{kind='{kind}', at_m=[{x:.3f},{y:.3f}], turn_deg={turn:g}}}"
        for kind, x, y, turn in DIRECTED[case]
    )
    values = {key: str(list(one) if isinstance(one, tuple) else one).lower()
              for key, one in PLACES.items()}  # fmt: skip
    values["obstacle"] = f"[{things}]"
    return [word for key, value in values.items() for word in ("--set", f"task.{key}={value}")]
