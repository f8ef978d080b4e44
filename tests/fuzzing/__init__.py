"""Random tables and everything that is compared on them; run by fuzz.py."""
