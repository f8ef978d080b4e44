"""How continuous columns are laid out in memory."""

cdef enum:
    PANEL = 32     # columns of a panel
    LANES = 32     # rows of a packed column are padded to a multiple of this
