"""What scripts and tests share. Start with README.md."""
