"""What people of the field know, as data: rules in words, libraries, log statements."""
