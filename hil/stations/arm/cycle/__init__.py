"""One step of the arm station: control, gate, link, journal."""
