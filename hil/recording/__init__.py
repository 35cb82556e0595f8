"""Recordings: a bounded ring, an MCAP file, a reader and exports."""
