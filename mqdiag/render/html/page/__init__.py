"""The page that sections are put on: its parts, its template, its style and its script."""
