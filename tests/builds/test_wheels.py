"""The main job has one recording, whichever Python runs it and whichever build it is of.

pip brings build tools and libraries, so it needs a package index.
"""

import pytest
from campaign import long_only
from wheels import BUILDS, obstacle, python_of, summary_of, wheel_of

pytestmark = [long_only, pytest.mark.campaign, pytest.mark.timeout(7200)]


@pytest.fixture(scope="module")
def digests():
    """Digests of the recordings so far, by Python and build."""
    return {}


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_the_demo_has_one_recording(version, build, digests, tmp_path):
    python = python_of(version)
    if python is None:
        pytest.skip(f"no Python {version} here")
    if build == "compiled" and (why := obstacle(python)):
        pytest.skip(why)
    wheel = wheel_of(python, build, tmp_path / "dist")
    summary = summary_of(python, wheel, tmp_path)
    digests[version, build] = summary["recording_sha256"]
    print(version, wheel.name, summary["recording_sha256"])
    assert len({*digests.values()}) == 1, digests
