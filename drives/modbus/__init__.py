"""Six CiA 402 drives behind a Modbus gateway as a bank of drives."""
