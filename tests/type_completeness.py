"""How much of what the packages below `hil` show is typed: at least 99 %, by pyright's count.

python tests/type_completeness.py [PACKAGE …]
"""

import json
import os
import subprocess
import sys
from pathlib import Path

PACKAGES = ("platform6dof", "arm_driver", "drives", "safety", "sim", "hil_common")
LEAST = 0.99
"""Part of the public symbols whose types are known."""


def verified(package: str) -> dict:
    """Pyright's report of a package."""
    here, root = Path(sys.executable).parent, Path(__file__).parents[1]
    path = f"{here}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(
        [here / "pyright", "--ignoreexternal", "--verifytypes", package, "--outputjson"],
        env=os.environ | {"PATH": path, "PYTHONPATH": str(root)},
        cwd=root, stdout=subprocess.PIPE, timeout=300, check=False,
    )  # fmt: skip
    return json.loads(done.stdout)["typeCompleteness"]


def untyped(report: dict) -> list[str]:
    """Each symbol that people can use and whose type is not known, with what pyright says of it."""
    return [
        f"{symbol['name']}: {one['message'].splitlines()[0]}"
        for symbol in report["symbols"]
        if symbol["isExported"] and not symbol["isTypeKnown"]
        for one in symbol["diagnostics"]
    ]


def main(packages: list[str]) -> int:
    """Print the count of each package; 1 if one is below the least."""
    well = True
    for package in packages or PACKAGES:
        report = verified(package)
        score, count = report["completenessScore"], sum(report["exportedSymbolCounts"].values())
        print(f"{package}: {100.0 * score:.2f} % of {count} public symbols typed")
        if count == 0 or score < LEAST:
            well = False
            print(*untyped(report), sep="\n")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
