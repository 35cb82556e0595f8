"""A mark of byte order, which some editors put before a text, changes nothing that is read."""

from hil.config.file_search import configs_dir
from hil.stations.simulator.sources.ride_feed import ride_feed

RIDE = """\
t_s,f_x_m_s2,f_y_m_s2,f_z_m_s2,p_rad_s,q_rad_s,r_rad_s
0.0,0.0,0.0,-9.81,0.0,0.0,0.0
0.1,1.0,0.0,-9.81,0.0,0.0,0.1
"""


def test_a_recorded_ride(tmp_path):
    plain, marked = tmp_path / "plain.csv", tmp_path / "marked.csv"
    plain.write_text(RIDE)
    marked.write_text("\ufeff" + RIDE, encoding="utf-8")
    assert ride_feed(marked).at(0.05) == ride_feed(plain).at(0.05)


def test_what_is_shipped_has_none():
    for path in configs_dir().rglob("*"):
        if path.is_file():
            assert not path.read_bytes().startswith(b"\xef\xbb\xbf"), path
