"""Text of thread dumps, in every form that people have, to samples."""
