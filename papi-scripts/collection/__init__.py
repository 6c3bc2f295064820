"""Runs of a program under Muster's barriers and policies, and the CSV that they are kept in."""
