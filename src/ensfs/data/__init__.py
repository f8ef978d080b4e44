"""From what users have to columns: kinds, codes, names, targets, folds, files."""
