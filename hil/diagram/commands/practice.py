"""``hil diagram exercise run``: a scene to measure in, which is not judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError
from hil.config.files import write_whole
from hil.diagram.commands.scene_words import scene_lines, scene_told
from hil.terminal.console import Json, leave, out, print_json, verb

if TYPE_CHECKING:
    from hil.diagram.exercises.exercise import Values


@verb
def practise(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The law.")],
    table: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE.csv", help="Inputs and outputs of every tick."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Run a law in a scene that is not judged, to measure in; exit status 1 if it does badly."""
    from hil.diagram.exercises.judging import play_scene, read_attempt
    from hil.diagram.exercises.told import ExercisePracticeTold

    attempt = read_attempt(path)
    lines: list[str] = []

    def watch(time_s: float, inputs: Values, outputs: Values) -> None:
        if not lines:
            lines.append(",".join(["t_s", *_columns(inputs), *_columns(outputs)]))
        numbers = [one for values in (*inputs.values(), *outputs.values()) for one in values]
        lines.append(",".join(map(repr, [time_s, *numbers])))

    scene = play_scene(attempt, "practice", None if table is None else watch)
    if table is not None:
        try:
            write_whole(table, ("\n".join(lines) + "\n").encode())
        except OSError as error:
            raise ConfigError("--out", [f"{table}: {error.strerror}"]) from None
    written = "" if table is None else str(table)
    if as_json:
        print_json(
            ExercisePracticeTold(
                ok=scene.ok, path=str(path), exercise=attempt.exercise.name,
                scene=scene_told(scene), written=written,
            )
        )  # fmt: skip
        leave(scene.ok)
    for line in scene_lines("practice", scene):
        out.print(*line, sep="", soft_wrap=True)
    if written:
        out.print(f"written: {written}", soft_wrap=True)
    leave(scene.ok)


def _columns(values: Values) -> list[str]:
    """Names of columns: that of a scalar, or of a vector's numbers from 1 on."""
    names: list[str] = []
    for name, numbers in values.items():
        many = len(numbers) > 1
        names += [f"{name}_{number}" for number in range(1, len(numbers) + 1)] if many else [name]
    return names
