"""Evidence files wherever they lie: listing, labels, incidents, fingerprints."""
