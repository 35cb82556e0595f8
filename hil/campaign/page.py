"""The page of a campaign, `summary.html`, with pictures and links of its worst runs."""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from hil.campaign.conduct import own_rows
from hil.campaign.execution import station_of
from hil.campaign.folder import PAGE_NAME, CampaignFolder
from hil.campaign.statistics import (
    Relation,
    measure_names,
    medians_of,
    rate_of,
    reasons_of,
    relations_to_failure,
    relations_to_measures,
    worst_rows,
)
from hil.campaign.table import RunRow
from hil.config.files import write_whole
from hil.recording.header import RecordingError

MEDIANS: Final = 8
"""Measures that the table of rates shows at most."""


def write_page(folder: CampaignFolder, *, pages: bool = False) -> Path:
    """Write the page of a campaign as far as it is; its path.

    Args:
        pages: whether the worst runs get pages of their own.

    Raises:
        RefusedError: if it cannot be written.
    """
    from hil.report.template import render

    path = folder.path / PAGE_NAME
    text = render("campaign.html.j2", **page_values(folder, pages=pages))
    with folder.safely():
        write_whole(path, text.encode("utf-8", "replace"))
    return path


def page_values(folder: CampaignFolder, *, pages: bool = False) -> dict[str, Any]:
    """Values of the page's template.

    Args:
        pages: whether the worst runs get pages of their own.
    """
    campaign, rows = folder.campaign, own_rows(folder)
    total = len(campaign.seeds) * len(campaign.variants)
    names = compared_names(campaign.scenario, rows)
    drawn = {key for row in rows for key in row.drawn}
    low, high = rate_of(rows).interval()
    rate = rate_of(rows)
    return {
        "title": f"Campaign of {campaign.scenario.stem}",
        "headline": f"{rate.succeeded} of {rate.runs} runs succeeded ({low:.1%} to {high:.1%})",
        "origin": ", ".join([str(campaign.scenario), *campaign.overrides]),
        "complete": len(rows) == total,
        "missing": f"{total - len(rows)} of {total} runs are missing: {folder.how_to_go_on()}",
        "keys": campaign.keys,
        "medians": names,
        "variants": [_variant(one, rows, names) for one in campaign.variants],
        "failures": [
            {"variant": one, "reason": reason, "runs": count}
            for one in campaign.variants
            for reason, count in reasons_of(_of(rows, one))
        ],
        "drawn_keys": len(drawn),
        "relations": [
            _relation(found, one)
            for one in campaign.variants
            for found in relations_to_failure(_of(rows, one))
        ],
        "measures": [
            _relation(found, one)
            for one in campaign.variants
            for found in relations_to_measures(_of(rows, one))
        ],
        "worst": [_worst(row, folder, pages=pages) for row in worst_rows(rows)],
    }


def compared_names(scenario: Path, rows: Sequence[RunRow]) -> list[str]:
    """Names of the measures that stand side by side: those of the station, else the first ones."""
    return list(station_of(scenario).compared) or measure_names(rows)[:MEDIANS]


def _of(rows: Sequence[RunRow], variant: tuple[str, ...]) -> list[RunRow]:
    return [row for row in rows if row.variant == variant]


def _variant(
    variant: tuple[str, ...], rows: Sequence[RunRow], names: Sequence[str]
) -> dict[str, Any]:  # fmt: skip
    own = _of(rows, variant)
    rate = rate_of(own)
    low, high = rate.interval()
    medians = medians_of(own, names)
    return {
        "variant": variant,
        "runs": rate.runs,
        "succeeded": rate.succeeded,
        "rate": "" if math.isnan(rate.value) else f"{rate.value:.1%}",
        "interval": f"{low:.1%} … {high:.1%}",
        "medians": [f"{medians[name]:.4g}" if name in medians else "" for name in names],
    }


def _relation(one: Relation, variant: tuple[str, ...]) -> dict[str, Any]:
    strength = f"{one.strength:+.2f}" if one.other else f"{one.strength:.0%}"
    words = {"drawn": one.drawn, "other": one.other, "strength": strength, "p": f"{one.p:.2g}"}
    return {"variant": variant, **words}


def _worst(row: RunRow, folder: CampaignFolder, *, pages: bool) -> dict[str, str]:
    values = [f"{key} {value:g}" for key, value in (*row.drawn.items(), *row.measures.items())]
    found = {
        "name": " ".join([*row.variant, f"seed {row.seed}"]),
        "outcome": row.outcome.value,
        "reason": row.reason,
        "numbers": ", ".join(values),
        "src": "", "page": "", "recording": "",
    }  # fmt: skip
    recording = folder.path / row.recording
    if not row.recording or not recording.is_file():
        return found
    try:
        page, picture = _picture(recording, with_page=pages)
    except RecordingError as error:
        return found | {"numbers": f"{error}; {found['numbers']}"}
    source = f"data:image/png;base64,{b64encode(picture).decode('ascii')}" if picture else ""
    place = "" if page is None else page.relative_to(folder.path).as_posix()
    return found | {"src": source, "page": place, "recording": row.recording}


def _picture(recording: Path, *, with_page: bool) -> tuple[Path | None, bytes]:
    """Page of a run, if it is there or wanted, and the first picture of it."""
    from hil.recording.reader import Recording
    from hil.report.page import PAGE_NAME, first_picture, write_report

    page, read = recording.parent / PAGE_NAME, Recording.open(recording)
    if with_page and not page.exists():
        write_report(read, recording.parent)
    picture = first_picture(read)
    return page if page.exists() else None, b"" if picture is None else picture.png
