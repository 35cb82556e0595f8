"""The functions of an FMI header that a model does not have, in C: each says that it fails.

An importer may refuse a library that lacks any function of the header, even one it never calls.
What the header declares is read from it, so the compiler holds each definition against it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_TYPE: Final = re.compile(r"typedef\s+([\w ]+?[\s*]+)(fmi[23]\w+)TYPE\s*\(([^;]*)\)\s*;", re.DOTALL)
_NAMELESS: Final = re.compile(r"((?:const )?\w+ ?\*?) ?(\[\])?")
_DEFINED: Final = re.compile(r"^[\w ]+?[\s*]+(fmi[23]\w+)\s*\(", re.MULTILINE)


def missing_functions(types_header: Path, source: str) -> str:
    """C definitions of all functions of a header that a source does not define.

    Args:
        types_header: ``fmi2FunctionTypes.h`` or ``fmi3FunctionTypes.h``.
        source: C code of what is defined; each definition begins its line.
    """
    text = re.sub(r"/\*.*?\*/", "", types_header.read_text(encoding="utf-8"), flags=re.DOTALL)
    defined = set(_DEFINED.findall(source))
    stubs: list[str] = []
    for result, name, arguments in _TYPE.findall(text):
        if name in defined or name.endswith("Callback"):
            continue
        value = "NULL" if "Status" not in result else f"{result.strip()[:4]}Error"
        stubs.append(f"{result.strip()} {name}({_named(arguments)}) {{ return {value}; }}")
    return "\n".join(stubs) + "\n"


def _named(arguments: str) -> str:
    """Arguments that all have names: FMI 2's header leaves some out."""
    listed = [" ".join(one.split()) for one in arguments.split(",")]
    return ", ".join(
        f"{match[1]} a{at}{match[2] or ''}" if (match := _NAMELESS.fullmatch(one)) else one
        for at, one in enumerate(listed)
    )
