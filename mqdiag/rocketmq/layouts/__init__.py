"""One file per version family of the clients."""
