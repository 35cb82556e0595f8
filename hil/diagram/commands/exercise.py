"""``hil diagram exercise``: laws with a fault in them, for students, and how they are judged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError
from hil.config.files import write_whole
from hil.diagram.commands.scene_words import measure_words, scene_lines, summarize_scene
from hil.terminal.console import Json, leave, out, print_json, styled, verb

if TYPE_CHECKING:
    from hil.diagram.exercises.exercise import Values
    from hil.diagram.exercises.exercise_judge import SceneResult
    from hil.diagram.exercises.exercise_summaries import ExerciseRowSummary


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
    from hil.diagram.exercises.exercise_judge import play_scene, read_attempt
    from hil.diagram.exercises.exercise_summaries import ExercisePracticeSummary

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
            ExercisePracticeSummary(
                ok=scene.ok, path=str(path), exercise=attempt.exercise.name,
                scene=summarize_scene(scene), written=written,
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


app = typer.Typer(no_args_is_help=True, help="Laws with a fault in them, to be repaired.")
app.command("run")(practise)
FILES_MOST = 1000


@app.command("list")
@verb
def list_exercises(as_json: Json = False) -> None:
    """The exercises, family by family."""
    from hil.diagram.exercises.catalogue import EXERCISES
    from hil.diagram.exercises.exercise_summaries import ExercisesSummary, ExerciseSummary

    rows = [
        ExerciseSummary(
            name=one.name, family=one.family, about=one.about, faults=len(one.faults),
            seconds=one.seconds,
        )
        for one in EXERCISES.values()
    ]  # fmt: skip
    if as_json:
        print_json(ExercisesSummary(ok=True, exercises=rows))
        leave(True)
    for one in rows:
        out.print(f"{one['family']:6} {one['name']:6} {one['about']}", soft_wrap=True)
    leave(True)


@app.command()
@verb
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="An exercise, or a family of them.")],
    target: Annotated[Path, typer.Option("--out", metavar="FILE.toml", help="The law.")],
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, max=2**53, help="Draws law and fault.")
    ] = 1,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Also where a file is there already.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write a law with one fault in it, both drawn by a seed."""
    from hil.diagram.exercises.catalogue import draw_exercise, file_for_student
    from hil.diagram.exercises.exercise_summaries import ExerciseNewSummary
    from hil.diagram.file.write import save

    exercise = draw_exercise(name, seed)
    if target.suffix != ".toml":
        raise ConfigError("--out", [f"{target}: a name that ends with .toml is needed"])
    if target.exists() and not overwrite:
        raise ConfigError("--out", [f"{target}: is there already; --overwrite replaces it"])
    try:
        save(file_for_student(exercise, seed), target)
    except OSError as error:
        raise ConfigError("--out", [f"{target}: {error.strerror}"]) from None
    if as_json:
        print_json(
            ExerciseNewSummary(
                ok=True, exercise=exercise.name, seed=seed, about=exercise.about,
                written=str(target),
            )
        )  # fmt: skip
        leave(True)
    out.print(f"written: {target}, exercise {exercise.name}, with one fault", soft_wrap=True)
    out.print(exercise.about, soft_wrap=True)
    leave(True)


@app.command("check")
@verb
def check_exercise(
    path: Annotated[
        Path, typer.Argument(metavar="FILE|FOLDER", help="A law, or a class's laws in a folder.")
    ],
    hint: Annotated[
        int, typer.Option("--hint", metavar="1..3", min=0, max=3, help="Where the fault may be.")
    ] = 0,
    as_json: Json = False,
) -> None:
    """Judge laws by how they behave in five scenes; exit status 1 if one does not pass."""
    if path.is_dir():
        if hint:
            raise ConfigError("--hint", ["is for one file, not for a folder"])
        _check_folder(path, as_json=as_json)
    _check_file(path, hint, as_json=as_json)


def _check_file(path: Path, hint: int, *, as_json: bool) -> None:
    from hil.diagram.exercises.catalogue import draw_fault
    from hil.diagram.exercises.exercise_judge import judge, read_attempt
    from hil.diagram.exercises.exercise_summaries import ExerciseCheckSummary

    attempt = read_attempt(path)
    scenes = judge(attempt)
    ok = all(one.ok for one in scenes)
    words = ""
    if hint and not ok:
        words = draw_fault(attempt.exercise, attempt.seed).hints[hint - 1]
    if as_json:
        print_json(
            ExerciseCheckSummary(
                ok=ok, path=str(path), exercise=attempt.exercise.name, seed=attempt.seed,
                scenes=[summarize_scene(one) for one in scenes], hint=words,
            )
        )  # fmt: skip
        leave(ok)
    for number, scene in enumerate(scenes, 1):
        for line in scene_lines(f"scene {number}", scene):
            out.print(*line, sep="", soft_wrap=True)
    out.print(styled("green", "passed") if ok else styled("red", "not passed"))
    if words:
        out.print(f"hint {hint} of 3: {words}", soft_wrap=True)
    leave(ok)


def _check_folder(folder: Path, *, as_json: bool) -> None:
    from hil.diagram.exercises.exercise_summaries import ExerciseFolderSummary

    files = sorted(one for one in folder.rglob("*.toml") if one.is_file())
    if not files:
        raise ConfigError(str(folder), ["no file there ends with .toml"])
    if len(files) > FILES_MOST:
        raise ConfigError(str(folder), [f"{len(files)} files: at most {FILES_MOST} are judged"])
    rows: list[ExerciseRowSummary] = []
    for row in _rows(folder, files):
        rows.append(row)
        if not as_json:
            word = styled("green", "passed    ") if row["ok"] else styled("red", "not passed")
            verdict = row["error"] or f"{row['scenes_passed']} of 5 scenes  {row['worst']}"
            out.print(
                word, f"  {row['file']}  {row['exercise']}  {verdict}", sep="", soft_wrap=True
            )
    passed = sum(one["ok"] for one in rows)
    ok = passed == len(rows)
    if as_json:
        print_json(ExerciseFolderSummary(ok=ok, path=str(folder), passed=passed, files=rows))
    else:
        out.print(f"{passed} of {len(rows)} passed")
    leave(ok)


def _rows(folder: Path, files: list[Path]) -> Iterator[ExerciseRowSummary]:
    from hil.diagram.exercises.exercise_judge import judge, read_attempt
    from hil.diagram.exercises.exercise_summaries import ExerciseRowSummary

    for path in files:
        name = str(path.relative_to(folder))
        try:
            attempt = read_attempt(path)
        except ConfigError as error:
            yield ExerciseRowSummary(
                file=name, ok=False, exercise="", seed=0, scenes_passed=0, worst="",
                error=str(error),
            )  # fmt: skip
            continue
        scenes = judge(attempt)
        yield ExerciseRowSummary(
            file=name, ok=all(one.ok for one in scenes), exercise=attempt.exercise.name,
            seed=attempt.seed, scenes_passed=sum(one.ok for one in scenes), worst=_worst(scenes),
            error="",
        )  # fmt: skip


def _worst(scenes: list[SceneResult]) -> str:
    """What is furthest above what it may be; empty if nothing is."""
    from hil.diagram.exercises.exercise_judge import worst

    stops = [one.stopped for one in scenes if one.stopped]
    found = worst(scenes)
    if stops:
        return stops[0]
    return "" if found is None or found.ok else measure_words(found)
