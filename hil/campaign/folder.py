"""The folder of a campaign: `campaign.json`, `runs.csv`, `summary.html`, and kept runs in `runs`.

Only the process that conducts the campaign writes the first three, each as a whole. The folder is
locked meanwhile, so that two processes never conduct one campaign.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import orjson

from hil.campaign.plan import Campaign
from hil.campaign.seeds import read_seeds, seeds_text
from hil.campaign.table import RunTable
from hil.config.errors import ConfigError, RefusedError
from hil.config.files import read_regular, write_whole
from hil.run.facts import DISTRIBUTION, revision, version_of
from hil.run.run import new_run_dir

STATE_NAME: Final = "campaign.json"
TABLE_NAME: Final = "runs.csv"
PAGE_NAME: Final = "summary.html"
PARENT: Final = Path("campaigns")
"""Folder of the current one in which campaigns get theirs, if no other is named."""
FORMAT: Final = 1
"""Version of what `campaign.json` holds; docs/formats.md says what changes it."""
LEAST_BYTES: Final = 100_000_000
"""Free space below which no run is begun [bytes], beside that of the largest runs so far."""
STATE_BYTES_MAX: Final = 1 << 26


class CampaignFolder:
    """Folder of one campaign.

    Args:
        path: of the folder, which is there.
        campaign: what is run in it.
        digest: of the campaign.
    """

    def __init__(self, path: Path, campaign: Campaign, digest: str) -> None:
        self.path: Path = path
        self.campaign: Campaign = campaign
        self._digest = digest
        self.table: RunTable = RunTable(path / TABLE_NAME, campaign.keys, campaign.variants)

    @classmethod
    def reopen(cls, path: Path, campaign: Campaign | None, seeds: str | None) -> CampaignFolder:
        """Open the folder of a campaign that was begun; `locked` reads its rows.

        Args:
            campaign: campaign that is meant; None for the one that the folder holds.
            seeds: seeds in place of those of the folder.

        Raises:
            ConfigError: if it holds none, or another one.
        """
        table, held = _read_state(path)
        if campaign is None:
            campaign = replace(held, seeds=read_seeds(seeds)) if seeds is not None else held
        digest = campaign.digest()
        if digest != table["digest"]:
            what = "is of another campaign" if campaign != held else "was made of other files"
            line = f"{what}: digest {table['digest'][:12]} there, {digest[:12]} now"
            right = "resume it with the scenario, files, --set and --compare that it was begun with"
            raise ConfigError(str(path), [f"{line}; {right}, or choose another --out"])
        return cls(path, campaign, digest)

    @classmethod
    def create(cls, path: Path | None, campaign: Campaign) -> CampaignFolder:
        """Make the folder of a new campaign, once its runs can be planned.

        Args:
            path: None for a new folder in `PARENT`.

        Raises:
            ConfigError: if there is a campaign already, it cannot be made, or a run not planned.
            RecordingError: if no new folder can be made.
        """
        if path is not None and (path / STATE_NAME).exists():
            line = f"holds a campaign already; go on with it: hil campaign --resume {path}"
            raise ConfigError(str(path), [f"{line}, or choose another --out"])
        digest = campaign.digest()
        if path is None:
            return cls(new_run_dir(PARENT, campaign.scenario.stem), campaign, digest)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(str(path), [f"cannot be made: {error.strerror}"]) from None
        return cls(path, campaign, digest)

    def write_state(self) -> None:
        """Write `campaign.json`.

        Raises:
            RefusedError: if it cannot be written.
        """
        table = {
            "format": FORMAT,
            "digest": self._digest,
            "seeds": seeds_text(self.campaign.seeds),
            **self.campaign.to_table(),
            "version": version_of(DISTRIBUTION),
            "revision": revision(),
        }
        data = orjson.dumps(table, option=orjson.OPT_INDENT_2)
        with self.safely():
            write_whole(self.path / STATE_NAME, data + b"\n")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from conducting the same campaign, and read the rows that it has.

        Raises:
            ConfigError: if one does, or the rows cannot be read.
        """
        descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            line = "another process conducts this campaign; wait for it, or end it"
            raise ConfigError(str(self.path), [line]) from None
        try:
            self.table.read()
            yield
        finally:
            os.close(descriptor)

    @contextmanager
    def safely(self) -> Iterator[None]:
        """Turn an error of writing into one that says what is safe, and how to go on."""
        try:
            yield
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise self.full(LEAST_BYTES) from None
            line = f"{error.filename or self.path}: cannot be written: {error.strerror}"
            raise RefusedError(f"{line}; {self.how_to_go_on()}") from None

    def check_space(self, need_bytes: int) -> None:
        """Check that there is space for more runs.

        Args:
            need_bytes: expected of the runs that are made at the same time.

        Raises:
            RefusedError: naming folder, space and need.
        """
        need = LEAST_BYTES + need_bytes
        if shutil.disk_usage(self.path).free < need:
            raise self.full(need)

    def full(self, need_bytes: int) -> RefusedError:
        """The error that the disk is full."""
        free_mb = shutil.disk_usage(self.path).free / 1e6
        line = f"{self.path}: {free_mb:.0f} MB are free, {need_bytes / 1e6:.0f} MB are needed"
        return RefusedError(f"{line}; free some, then go on: {self.how_to_go_on()}")

    def how_to_go_on(self) -> str:
        """Words on what is safe, and the command that goes on."""
        return f"{len(self.table)} rows are safe (hil campaign --resume {self.path})"

    def remove_leftovers(self) -> None:
        """Remove folders of runs that no row names: their worker or this program had ended."""
        kept = {self.path / row.recording for row in self.table.rows if row.recording}
        for one in (self.path / "runs").glob("*/*"):
            if not any(recording.is_relative_to(one) for recording in kept):
                shutil.rmtree(one, ignore_errors=True)
        for one in (self.path / "runs").glob("*"):
            if one.is_dir() and not any(one.iterdir()):
                one.rmdir()


def _read_state(path: Path) -> tuple[dict[str, Any], Campaign]:
    file = path / STATE_NAME
    try:
        table = orjson.loads(read_regular(file, STATE_BYTES_MAX))
        if table["format"] != FORMAT:
            line = f"is of format {table['format']}; this program reads {FORMAT}"
            raise ConfigError(str(file), [line])
        if not isinstance(table["digest"], str):
            raise TypeError("digest is no text")
        return table, Campaign.of_table(table, read_seeds(table["seeds"], str(file)))
    except OSError as error:
        line = f"holds no campaign: {STATE_NAME} cannot be read: {error.strerror}"
        raise ConfigError(str(path), [line]) from None
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(str(file), [f"is no {STATE_NAME} of a campaign: {error}"]) from None
