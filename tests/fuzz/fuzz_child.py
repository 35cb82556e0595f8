"""Reads mutated files one after the other, and prints what is wrong with how they are read.

It takes its order as JSON: names of readers, the first seed and how many, the folder for files,
holes to plant, and where to go on. Negative seeds are the attacks of `attacks.py`, from the last.
"""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "recording"), str(TESTS / "fuzz")]


def main() -> None:
    """Read all that is ordered; where it stands is in the file `now` of the folder."""
    order = json.loads(sys.argv[1])
    root = Path(order["folder"])
    place, temporary = root / "in", root / "tmp"
    for one in (place, temporary, root / "outside"):
        one.mkdir(exist_ok=True)
    tempfile.tempdir = os.environ["TMPDIR"] = str(temporary)
    os.chdir(place)

    from guard import Watch

    from hil.config import files
    from hil.config.file_search import configs_dir

    watch = Watch((place, temporary, configs_dir(), TESTS.parent))
    open_linkless = files._open_linkless

    def opened(path: Path, flags: int) -> int:
        watch.see_file(path)
        return open_linkless(path, flags)

    files._open_linkless = opened
    at, seed = order["now"]
    for number in range(at, len(order["readers"])):
        read_all(order, number, seed if number == at else None, root, watch)
    (root / "now").write_text("null", encoding="ascii")


def read_all(order: dict[str, Any], number: int, begin: int | None, root: Path, watch: Any) -> None:
    """All inputs of one reader."""
    from attacks import attacks_on
    from guard import judge
    from mutators import mutated
    from planted import HOLES
    from readers import readers

    name = order["readers"][number]
    reader, place = readers()[name], root / "in"
    corpus, beside = list(reader.corpus()), reader.beside()
    attacks = attacks_on(name, reader.ending) if order["first"] < 0 else []
    for ending in (reader.ending, ".toml", ".csv", ".txt"):
        (root / "outside" / f"bait{ending}").write_bytes(corpus[0])
    for path, data in beside.items():
        (place / path).parent.mkdir(exist_ok=True)
        (place / path).write_bytes(data)
    file = place / f"document{reader.ending}"
    for good in corpus:  # what is imported, compiled and kept is not the input's
        file.write_bytes(good)
        reader.read(file)
    for hole in order["planted"]:
        HOLES[hole]()
    for seed in range(max(order["first"], -len(attacks)), order["first"] + order["count"]):
        if begin is not None and seed < begin:
            continue
        (root / "now").write_text(json.dumps([number, seed]), encoding="ascii")
        file.write_bytes(attacks[seed] if seed < 0 else mutated(corpus, seed))
        if wrong := judge(reader.read, reader.errors, file, watch, reader.place):
            print(json.dumps({"reader": name, "seed": seed, "wrong": wrong}), flush=True)
            if order["planted"]:
                return
        for one in place.iterdir():
            if one != file and one.is_file():
                one.unlink()


if __name__ == "__main__":
    main()
