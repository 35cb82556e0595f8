"""An installed wheel in an environment of its own, made without a network.

The wheel is put together as `pyproject.toml` says (packages, force-include, scripts) and unpacked
as an installer does (PEP 427); `make wheel-check` does the same by `build` and `pip`. Libraries
come from the environment that the tests run in, by a `.pth` file.
"""

import base64
import hashlib
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def wheel_files(root=ROOT):
    """Name in the wheel and bytes of every file."""
    project = tomllib.loads((root / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    files = {}
    for package in wheel["packages"]:
        for file in sorted((root / package).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                files[str(file.relative_to(root))] = file.read_bytes()
    for source, target in wheel["force-include"].items():
        for file in sorted((root / source).rglob("*")):
            if file.is_file():
                files[str(Path(target) / file.relative_to(root / source))] = file.read_bytes()
    name, version = project["project"]["name"].replace("-", "_"), project["project"]["version"]
    info = f"{name}-{version}.dist-info"
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    )
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    scripts = "".join(f"{key} = {value}\n" for key, value in project["project"]["scripts"].items())
    files[f"{info}/entry_points.txt"] = f"[console_scripts]\n{scripts}".encode()
    files[f"{info}/RECORD"] = record(files) + f"{info}/RECORD,,\n".encode()
    return files, project["project"]["scripts"]


def record(files):
    """RECORD of a distribution: a line for each file with its digest and size."""
    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    return "".join(lines).encode()


def install(folder, root=ROOT):
    """Make an environment with the wheel in it.

    Returns:
        Its interpreter and its folder of packages.
    """
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    asked = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    packages = Path(asked.stdout.strip())
    files, scripts = wheel_files(root)
    put(packages, files)
    libraries = [place for place in sys.path if place.endswith(("site-packages", "dist-packages"))]
    (packages / "libraries.pth").write_text("\n".join(libraries) + "\n")
    for name, target in scripts.items():
        module, _, function = target.partition(":")
        script = python.with_name(name)
        script.write_text(
            f"#!{python}\nimport sys\nfrom {module} import {function}\n"
            f"if __name__ == '__main__':\n    sys.exit({function}())\n"
        )
        script.chmod(0o755)
    return python, packages


def put(packages, files):
    """Unpack files into a folder, over what is there, as an installer does."""
    for name, data in files.items():
        place = packages / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
