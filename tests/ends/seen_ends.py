"""What is seen of a run from outside, and the judge of whether all of it agrees.

A recording is read here by the format's own library, a page by its title and text: nothing of the
bench's readers is used.
"""

import json
import re
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

from mcap.exceptions import McapError
from mcap.records import Footer, Message, Metadata
from mcap.stream_reader import StreamReader

GOOD = ("COMPLETED", "STOPPED BY THE OPERATOR")
ROWS = 1


@dataclass
class File:
    """What the files of a recording hold."""

    rows: int = 0
    events: str = ""
    outcome: dict[str, str] = field(default_factory=dict)
    closed: bool = False
    """Whether the last file has an end."""

    @classmethod
    def of(cls, path: Path) -> "File":
        """Read the recording and its further parts."""
        found, numbers = cls(), set()
        parts = path.parent.glob(f"{path.stem}*{path.suffix}")
        for part in sorted(parts, key=lambda one: len(one.name)):
            found.closed = False
            with part.open("rb") as stream:
                try:
                    for record in StreamReader(stream).records:
                        if isinstance(record, Message) and record.channel_id == ROWS:
                            numbers.add(record.sequence)
                        elif isinstance(record, Message):
                            found.events += record.data.decode("latin-1")
                        elif isinstance(record, Metadata) and record.name == "outcome":
                            found.outcome = record.metadata
                        elif isinstance(record, Metadata) and record.name == "spare_end":
                            found.outcome = json.loads(record.metadata["end"])
                        found.closed = found.closed or isinstance(record, Footer)
                except (McapError, EOFError, ValueError):
                    pass  # cut off there
        found.rows = len(numbers)
        return found


@dataclass
class Seen:
    """A run, as a person, a script and a reader of its recording see it."""

    status: int
    console: str = ""
    errors: str = ""
    """What it wrote to standard error."""
    told: dict = field(default_factory=dict)
    file: File | None = None
    verdict: str = ""
    """Of the report: the word in its title."""
    page: str = ""
    reported: int = 0
    """Exit status of `hil report`."""
    report: dict = field(default_factory=dict)

    @property
    def last(self) -> str:
        """Last line of the console that says something."""
        lines = [line for line in self.console.splitlines() if line.strip()]
        return lines[-1] if lines else ""


def page_of(path: Path) -> tuple[str, str]:
    """Word of a page's verdict, and all its words."""
    text = path.read_text(encoding="utf-8")
    title = re.search(r"<title>([^:<]*)", text)
    body = re.sub(r"data:[a-z/+]*;base64,[^\"')]*", "", text)
    return unescape(title[1]) if title else "", unescape(re.sub(r"<[^>]+>", " ", body))


def parsed(stdout: str) -> dict:
    """The one JSON object that a program printed; empty if there is none."""
    lines = [line for line in stdout.splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else {}


def judged(
    seen: Seen,
    cause: str,
    *,
    rows: int | None = None,
    whole: bool = False,
    never: bool = False,
) -> list[str]:
    """What does not agree; empty if all does.

    Args:
        cause: pattern that names what went wrong; empty for a run that is ok.
        rows: that a whole recording has; None if that is not known.
        whole: whether recording and report are good all the same: it came after their end.
        never: whether it was refused before it began: an error, as of any verb.
    """
    wrong = []
    bad = bool(cause)

    def must(holds: object, words: str) -> None:
        if not holds:
            wrong.append(words)

    def named(text: str) -> object:
        return re.search(cause, text)

    def named_on(page: str) -> object:
        return re.search(cause, page, re.IGNORECASE)  # a sentence there begins with a capital

    must("Traceback" not in seen.console + seen.errors, "a traceback")
    must((seen.status != 0) == bad, f"exit status {seen.status}")
    if seen.told:
        must(seen.told["ok"] is not bad, f"--json says ok = {seen.told['ok']}")
        words = seen.told.get("cause", seen.told.get("error", ""))
        must(named(words) if bad else not words, f"--json says {words!r}")
    if seen.console:
        must(not bad or named(seen.last), f"last line {seen.last!r}")
        told = "error: " if never else f"exit status {seen.status}"
        must(not bad or told in seen.last, f"no status: {seen.last!r}")
        must(bad or not re.search("^exit status", seen.console, re.M), "a bad end is told")
    if seen.file is None:
        return wrong
    file, outcome, bad = seen.file, seen.file.outcome, bad and not whole
    must(bool(outcome) or not file.closed, "a closed file does not say how its run ended")
    if outcome:
        own = outcome.get("ok") == "true" and not outcome.get("problem")
        missing = int(outcome["dropped"]) + int(outcome["lost"])
        must((own and not missing) is not bad, f"the recording's end says {outcome}")
        if bad:
            must(named(f"{outcome.get('reason')} {outcome.get('problem')}"), f"end: {outcome}")
        lacks = rows is not None and file.rows < rows
        must(not lacks or missing, f"{file.rows} rows of {rows}, and the end counts {missing}")
    else:
        must(bad, "the recording has no end")
    if seen.verdict:
        must((seen.verdict not in GOOD) == bad, f"the report says {seen.verdict}")
        must(not bad or named_on(seen.page) or not outcome, "the report does not name it")
    if seen.report:
        lost = not outcome or bool(outcome.get("problem")) or missing > 0
        must(seen.report["ok"] is not lost, f"hil report says ok = {seen.report['ok']}")
        must((seen.reported != 0) == lost, f"hil report leaves with {seen.reported}")
    return wrong
