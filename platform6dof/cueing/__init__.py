"""Motion cueing: from what a vehicle does to what a platform does; no clock, no file, no link."""
