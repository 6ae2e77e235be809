"""What lies under the paths that were given: folders walked, archives opened, each file told by its content."""
