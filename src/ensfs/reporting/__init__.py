"""The HTML report and the command line."""
