"""A bench that runs: its session, state, faults, margins."""
