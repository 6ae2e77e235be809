"""What at least three rules have in common."""
