"""Figures that can be read in black and white, each with its source."""
