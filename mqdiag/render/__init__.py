"""A report to text; one file per output format."""
