"""One step of the virtual environment: law, gate, drives, engine."""
