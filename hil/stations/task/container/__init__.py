"""Task `container`: find a container in a hangar, fetch it, and put it into a bin."""
