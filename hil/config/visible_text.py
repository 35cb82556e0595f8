"""Text of files and users as text: whatever is in it, it moves no cursor and hides nothing."""

import unicodedata


def visible(text: str) -> str:
    r"""The text with what cannot be seen as escapes such as `\x1b`; blanks and line ends stay.

    Control and format characters, which turn the order of a text round or hide in it, are escaped,
    and so are bytes of a path that are no text.
    """
    if text.isprintable():
        return text
    return "".join(one if _shown(one) else _escape(ord(one)) for one in text)


def _shown(character: str) -> bool:
    kept = character in "\n\t" or unicodedata.category(character) == "Zs"
    return kept or character.isprintable()


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
