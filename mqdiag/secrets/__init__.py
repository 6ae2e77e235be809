"""Searches a dump for what should not get into other hands: keys, passwords, tokens, numbers of cards."""
