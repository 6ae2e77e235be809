"""Two reports to what changed between them; it sees reports and nothing else."""
