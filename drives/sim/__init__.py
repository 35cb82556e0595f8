"""Six simulated electro-cylinders as a bank of drives."""
