"""Laws that compute commands of drives from the wanted motion of their joints."""
