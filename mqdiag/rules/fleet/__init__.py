"""Rules over many incidents: what differs between instances, what is shared, what changed."""
