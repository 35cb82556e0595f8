"""The bench: scenarios, clocks, the loop, stations, recording, report, command line."""
