"""How continuous columns are laid out in memory, and how their sums are added up."""

cdef enum:
    PANEL = 32     # columns of a panel
    LANES = 32     # rows of a packed column are padded to a multiple of this
    LEAF = 4096    # rows whose sums are a leaf of the tree of sums; see sum_tree.h
