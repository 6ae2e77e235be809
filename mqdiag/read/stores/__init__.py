"""Store folders of brokers: file names, sizes and single entries are read, never whole files."""
