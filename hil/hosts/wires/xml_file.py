"""XML files of simulators about the contents of a packet: read once, small, without entities."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Final

from hil.config.errors import ConfigError
from hil.config.files import read_regular

MOST_BYTES: Final = 1 << 18
"""Such a file is no larger."""


def read_xml(path: Path) -> ET.Element:
    """Return the root element of a file.

    Raises:
        ConfigError: if it cannot be read, is no XML, or declares entities.
    """
    source, text = str(path), xml_text(path)
    try:
        return ET.fromstring(text)  # noqa: S314  (small, and without entities)
    except ET.ParseError as error:
        raise ConfigError(source, [f"is not XML: {error}"]) from None


def xml_text(path: Path) -> str:
    """Return the text of a file.

    Raises:
        ConfigError: if it cannot be read, is not UTF-8, or declares entities.
    """
    source = str(path)
    try:
        text = read_regular(path, MOST_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(source, [f"cannot be read: {error.strerror}"]) from None
    except UnicodeDecodeError as error:
        raise ConfigError(source, [f"is not UTF-8: {error}"]) from None
    if "<!ENTITY" in text:
        raise ConfigError(source, ["declares entities; such a file needs none"])
    return text
