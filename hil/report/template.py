"""Templates of pages: HTML in which every text is escaped, and what cannot be seen is shown."""

from typing import Any

import jinja2

from hil.config.visible_text import visible


def render(template: str, **values: Any) -> str:
    """Return the text of a page.

    Args:
        template: name of its file in this folder.
        values: all that it needs; what is missing is an error.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("hil.report", "."),
        autoescape=True,
        finalize=lambda value: visible(value) if type(value) is str else value,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(**values)
