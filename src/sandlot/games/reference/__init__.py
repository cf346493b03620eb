"""Slow, plain Python twins of the cores: written from the rules pages, used only to prove the cores right."""
