"""mqdiag held against small Java programs of which an expert says who holds the memory."""
