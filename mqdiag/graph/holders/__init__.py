"""Who holds the memory: from the dominator tree to the field, thread or pool that a person would name."""
