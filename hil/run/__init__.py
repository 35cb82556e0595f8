"""One run of a station: its folder, its facts, and several stations at the same time."""
