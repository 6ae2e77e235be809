"""One door for packed evidence: what is packed how, what comes out of it, and how much of that may come."""
