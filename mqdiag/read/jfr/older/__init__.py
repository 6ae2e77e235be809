"""Version 0.9 of recordings, of Oracle's JDK 7 and 8: numbers of fixed width, the description at the end of a chunk."""
