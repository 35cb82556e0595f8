"""Station `simulator`: a live source drives the platform through motion cueing."""
