"""The simulated world: machines and loads that exist in every mode, also beside real hardware."""
