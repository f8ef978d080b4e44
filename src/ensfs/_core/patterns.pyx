"""Local binary patterns of images, and their histograms in tiles."""

from libc.stdint cimport int16_t, int32_t, uint8_t

from ensfs._core.checks cimport check_length, check_shape


cdef inline void _weigh(
    const double* image, Py_ssize_t width, const Py_ssize_t* corner, const double* weight,
    Py_ssize_t place, double edge, uint8_t bit, uint8_t* code, Py_ssize_t n,
) noexcept nogil:
    """Set a bit in the codes of a row where the neighbour is not below its centre."""
    cdef const double* c = image + place
    cdef const double* a = c + corner[0]
    cdef const double* b = c + corner[1]
    cdef const double* d = c + corner[2]
    cdef const double* e = c + corner[3]
    cdef double wa = weight[0], wb = weight[1], wd = weight[2], we = weight[3]
    cdef Py_ssize_t i

    if wb == 0.0 and wd == 0.0 and we == 0.0:
        for i in range(n):
            code[i] |= bit * (a[i] >= c[i] - edge)
    else:
        for i in range(n):
            code[i] |= bit * (((wa * a[i] + wb * b[i]) + wd * d[i]) + we * e[i] >= c[i] - edge)


def pattern_codes(
    const double[:, ::1] image not None,       # IN  (height, width)
    const Py_ssize_t[:, ::1] corner not None,  # IN  (8, 4) from the centre to the pixels around
    const double[:, ::1] weight not None,      # IN  (8, 4) of these pixels
    Py_ssize_t margin,                         # IN  pixels at each edge without a code
    double edge,                               # IN  by which a neighbour may be below the centre
    uint8_t[:, ::1] codes not None,            # OUT (height - 2 margin, width - 2 margin)
):
    """Codes of all pixels whose circle lies in the image; bit t is that of neighbour t."""
    cdef Py_ssize_t height = image.shape[0], width = image.shape[1]
    cdef Py_ssize_t n_rows = codes.shape[0], n = codes.shape[1], row, t, i, k, reach

    if margin < 0 or n_rows != height - 2 * margin or n != width - 2 * margin:
        raise ValueError("codes must have the shape of the image without its margins")
    check_shape(&corner.shape[0], 8, 4, "corner")
    check_shape(&weight.shape[0], 8, 4, "weight")
    for t in range(8):
        for k in range(4):
            reach = corner[t, k] if corner[t, k] >= 0 else -corner[t, k]
            if reach > margin * width + margin:
                raise ValueError("corner must not reach beyond the margins of the image")
    with nogil:
        for row in range(n_rows):
            for i in range(n):
                codes[row, i] = 0
            for t in range(8):
                _weigh(
                    &image[0, 0], width, &corner[t, 0], &weight[t, 0],
                    (row + margin) * width + margin, edge, <uint8_t>(1 << t), &codes[row, 0], n)


def tile_histograms(
    const uint8_t[:, ::1] codes not None,      # IN  (n_rows, n_columns) of a margin
    const int16_t[::1] bins not None,          # IN  (256,) bin of each code
    const int32_t[::1] tile_of_row not None,   # IN  (n_rows,) tile of each row of codes
    const int32_t[::1] tile_of_column not None,  # IN  (n_columns,)
    Py_ssize_t n_bins,                         # IN
    Py_ssize_t n_across,                       # IN  tiles beside each other
    double[:, ::1] histograms not None,        # OUT (n_tiles, n_bins), shares of the codes
):
    """Shares of the bins among the codes of each tile; 0 for a tile without codes."""
    cdef Py_ssize_t n_tiles = histograms.shape[0], i, j, tile, k
    cdef double total

    check_length(bins.shape[0], 256, "bins")
    check_length(tile_of_row.shape[0], codes.shape[0], "tile_of_row")
    check_length(tile_of_column.shape[0], codes.shape[1], "tile_of_column")
    check_length(histograms.shape[1], n_bins, "histograms")
    for k in range(256):
        if not 0 <= bins[k] < n_bins:
            raise ValueError(f"bins must lie in 0 .. {n_bins - 1}; got {bins[k]}")
    for j in range(tile_of_column.shape[0]):
        if not 0 <= tile_of_column[j] < n_across:
            raise ValueError(f"tile_of_column must lie in 0 .. {n_across - 1}")
    for i in range(tile_of_row.shape[0]):
        if tile_of_row[i] < 0 or (tile_of_row[i] + 1) * n_across > n_tiles:
            raise ValueError("tile_of_row must be that of a tile")
    with nogil:
        for tile in range(n_tiles):
            for k in range(n_bins):
                histograms[tile, k] = 0.0
        for i in range(codes.shape[0]):
            for j in range(codes.shape[1]):
                tile = tile_of_row[i] * n_across + tile_of_column[j]
                histograms[tile, bins[codes[i, j]]] += 1.0
        for tile in range(n_tiles):
            total = 0.0
            for k in range(n_bins):
                total += histograms[tile, k]
            if total > 0.0:
                for k in range(n_bins):
                    histograms[tile, k] /= total
