"""What the commands share: options, settings, progress, output, failures."""
