"""The asv suite: every measure and every selector, over several sizes in n, p and k."""
