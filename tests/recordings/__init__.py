"""What recordings mean."""
