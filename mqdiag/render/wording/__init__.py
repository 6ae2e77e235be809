"""Words and numbers for people, shared by the formats that people read."""
