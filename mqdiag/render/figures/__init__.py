"""Pictures as SVG: drawn here, without a script, readable in black and white and by a screen reader's text."""
