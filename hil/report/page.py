"""The frame of every evidence page: one self-contained HTML file, and its pictures beside it."""

from base64 import b64encode
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import jinja2

from hil.recording.header import RecordingError
from hil.report.style import Picture

PAGE_NAME: Final = "report.html"
PICTURES_NAME: Final = "pictures"
TEMPLATE: Final = "page.html.j2"
"""The template of a page, in the package of its station's report."""
MOST_ROWS: Final = 500
"""Longer lists end with a word on how many are left out; the recording has them all."""


def write_page(
    folder: Path, draw: Callable[[], Iterable[Picture]], render: Callable[[], str]
) -> Path:
    """Write ``report.html`` and ``pictures/*.png``.

    Args:
        folder: where to write; made if it is not there, before the work of drawing.
        draw: makes the pictures.
        render: makes the page's text of them, afterwards.

    Returns:
        The path of the page.

    Raises:
        RecordingError: if the folder cannot be written.
    """
    page, place = folder / PAGE_NAME, folder / PICTURES_NAME
    try:
        place.mkdir(parents=True, exist_ok=True)
        for picture in draw():
            (place / f"{picture.name}.png").write_bytes(picture.png)
        page.write_text(render(), encoding="utf-8")
    except OSError as error:
        raise RecordingError(f"{page}: cannot be written: {error.strerror or error}") from error
    return page


def rendered(package: str, **values: Any) -> str:
    """The text of a page.

    Args:
        package: of the station's report, where its template lies.
        values: what stands in the template; one that it lacks is an error.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(package, "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(TEMPLATE).render(**values)


def shown(picture: Picture) -> dict[str, str]:
    """A picture as a page has it: in the page itself."""
    return {
        "name": picture.name,
        "title": picture.title,
        "caption": picture.caption,
        "src": f"data:image/png;base64,{b64encode(picture.png).decode('ascii')}",
    }
