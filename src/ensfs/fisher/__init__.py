"""Fisher's direction in whitened spaces: truncated isotropic principal component classifiers."""
