"""Trio's twin."""
