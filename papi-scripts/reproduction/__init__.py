"""What reproduce.py leaves for others: one JSON file and one HTML page."""
