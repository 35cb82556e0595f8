"""Laws that make commands of drives from what their joints shall do."""
