"""Text of files and users as text: whatever is in it, it moves no cursor and hides nothing."""

from typing import Final

_HIDDEN: Final = {
    code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"
} | {
    # They turn the order of what is shown around, or are not seen at all.
    code: f"\\u{code:04x}"
    for code in (*range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF)
}


def visible(text: str) -> str:
    r"""The text with its control characters as escapes such as `\x1b`; line ends and tabs stay."""
    return text.translate(_HIDDEN)
