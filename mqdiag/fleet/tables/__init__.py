"""What a fleet run leaves behind: Parquet tables with fixed schemas, committed whole."""
