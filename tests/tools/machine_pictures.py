"""Pictures of `docs/machine.md`, as the verbs of a platform write them, by the names of that page.

python tests/tools/machine_pictures.py docs/pictures
"""

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import Final

from typer.testing import CliRunner

from hil.cli.main import app

MOTIONS: Final = "ground_motion,recorded_ride,ship_deck"
TAKEN: Final = (
    ("map paper --of sigma", {"map_sigma.png": "machine_map.png"}),
    ("map paper --at 0,0,0.935", {"map_travel_limits.png": "machine_limits.png"}),
    ("prove paper", {"proof.png": "machine_proof.png"}),
    (f"size paper_cabin --for {MOTIONS}", {
        "size_force_and_speed.png": "machine_size.png", "size_reserves.png": "machine_reserves.png",
    }),
)  # fmt: skip
"""Verbs with their words, and which of their pictures becomes which of the document."""


def take(out: Path) -> list[Path]:
    """Make the pictures; their files."""
    made = list[Path]()
    for words, names in TAKEN:
        with tempfile.TemporaryDirectory() as work:
            CliRunner().invoke(app, ["platform", *words.split(), "--pictures", work])
            made += [Path(shutil.copyfile(Path(work) / one, out / to)) for one, to in names.items()]
    return made


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    for path in take(parser.parse_args().out):
        print(path)
