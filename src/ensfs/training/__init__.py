"""The data of one fit: columns, target, and the statistics on them."""
