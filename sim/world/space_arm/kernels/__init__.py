"""Compiled kernels of the space arm: dynamics, drives, integrators; plain functions over arrays.

Numba keeps what it compiled beside the code, but looks only at the file of the function that is
called, not at those of the functions called from there. So whatever is older than the newest file
here, or than the layout of the drives' table, is thrown away before it can be used.
"""

from contextlib import suppress
from pathlib import Path


def _drop_stale_cache() -> None:
    here = Path(__file__).parent
    sources = [*here.glob("*.py"), here.parent / "drive.py"]
    newest_s = max(source.stat().st_mtime for source in sources)
    for index in (here / "__pycache__").glob("*.nbi"):
        with suppress(OSError):  # another process may just have done it, or the folder is not ours
            if index.stat().st_mtime < newest_s:
                index.unlink()


_drop_stale_cache()
