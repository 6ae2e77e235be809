"""A fleet that watches its evidence arrive: which files are complete, when a run begins, and who is told what is new.

`arrivals` decides which listed files are complete, `faults` which findings are new, `actions` tells them, and `watch`
joins them around the same run that `mqdiag fleet` does once. See docs/adr/0013-watching-by-listing.md.
"""
