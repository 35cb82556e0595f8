"""The promises that every bank of drives keeps, and their trial."""
