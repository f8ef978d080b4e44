"""Counts of coded columns: bit planes, contingency tables and mutual information.

A column with up to eight levels is stored as bit planes: plane l - 1 marks the rows with code l,
and code 0 follows from the others. Columns with more levels are counted by their codes.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

from ensfs._core.checks cimport check_bounds, check_places

cdef extern from "discrete.h":
    enum:
        MAX_PLANE_LEVELS
        MAX_ROWS
        DIVISOR
        N_SUMS
        SUM_Y
        SUM_FY
    double TIE_TOLERANCE
    ctypedef struct measure_rows:
        int64_t rows[MAX_ROWS + 1][N_SUMS]
        double weights[MAX_ROWS]
        int is_one_row
        int is_divided
        int is_signed
        int uses_target
        int uses_fy
    ctypedef struct fixed_sums:
        int64_t rows[MAX_ROWS + 1]
    ctypedef double (*pair_function)(void*, int64_t, int64_t, int64_t) noexcept nogil
    ctypedef struct count_table:
        int32_t* count
        int64_t* key
        int64_t size
        int32_t* cell
    ctypedef struct code_store:
        const uint64_t* planes
        const int64_t* plane_start
        const int64_t* level_start
        int32_t* margins
        int64_t* entropy
        const uint64_t* mask
        const void* codes
        int wide
        const uint16_t* y
        const int64_t* rows
        int64_t n_columns, n_total, n, n_words
        const int64_t* T
        double scale
        uint64_t* targets
        int64_t target_stride
        const measure_rows* measure
        int32_t* cells
        fixed_sums* fixed
        double units[MAX_ROWS]
        count_table* scratch
    ctypedef struct search_state:
        pair_function pair
        void (*prepare)(void*, int64_t, int64_t) noexcept nogil
        void* context
        const double* relevance
        double* terms
        int32_t* evaluated
        double* nearest_value
        int32_t* nearest
        double* bounds
        int32_t* touched
        int64_t* selected
        double* scores
        double* redundancy
        int32_t* depth
    void discrete_init() noexcept
    void greedy_init() noexcept
    void plane(const uint8_t*, int64_t, uint8_t, uint64_t*) noexcept nogil
    void count_margins(code_store*) noexcept nogil
    void set_target(code_store*, int64_t, int64_t) noexcept nogil
    void prepare_target(void*, int64_t, int64_t) noexcept nogil
    enum:
        BLOCK
        MAX_BLOCK_PLANES
    ctypedef struct subset_blocks:
        int64_t n_subsets
        int32_t *head
        int32_t *open
        int32_t *before
        int32_t *at
        int32_t *nearest
        double *largest
        double guess
        int64_t n_blocks
        int32_t *next
        int32_t *sizes
        int32_t *members
        int64_t n_planes
        uint64_t *planes
        float *margins
        float *inverses
        int64_t *entropies
        float *halves
        uint64_t *column_planes
        int64_t n_read
    void take_column(code_store*, subset_blocks*, int64_t) noexcept nogil
    void add_member(const code_store*, subset_blocks*, int64_t, int64_t) noexcept nogil
    int64_t least_redundant(
        const code_store*, subset_blocks*, int64_t, double) noexcept nogil
    enum:
        FRONT
        BATCH
        GROUP
        MAX_CHUNK_PLANES
    int64_t CHUNK(int64_t) noexcept nogil
    ctypedef struct subset_chunks:
        int64_t n_subsets, n_planes, n_rows
        int64_t chunk
        int64_t n_banks
        const uint8_t *tables
        double units
        int in_parts
        int slack
        const uint8_t *sure
        double most_entropy
        int32_t *first
        int32_t *last
        int32_t *waiting
        int32_t *waiting_next
        int64_t n_chunks
        int32_t *next
        int32_t *sizes
        double *most_excess
        int32_t *members
        uint64_t *bits
        uint8_t *margins
        uint8_t *excess
        int32_t *hits
        double guess
    ctypedef struct chunk_column:
        double limit
        double *largest
        int32_t *nearest
        int32_t *at
        int64_t n_read
        uint8_t *rooms
        uint16_t *row_room
        uint8_t *tops
    void begin_subsets(const code_store*, subset_chunks*, const int64_t*) noexcept nogil
    void look_ahead(
        const code_store*, const subset_chunks*, chunk_column*, const int64_t*,
        int64_t) noexcept nogil
    int64_t find_subset(
        code_store*, subset_chunks*, chunk_column*, int64_t, uint8_t*) noexcept nogil
    void let_wait(subset_chunks*, int64_t, int64_t) noexcept nogil
    void place_waiting(const code_store*, subset_chunks*) noexcept nogil
    enum:
        MAX_PARTS
    ctypedef struct fold_store:
        const uint64_t* planes
        const int64_t* plane_start
        int32_t* margins
        int64_t* entropy
        const int64_t* n_part
        const int64_t* total
        const double* units
        const measure_rows* measure
        const int64_t* T
        int64_t n_columns, n_folds, fold_words, n_words
    void prefetch_lines(const void*, int64_t) noexcept nogil
    void prefetch_fold_column(const fold_store*, int64_t) noexcept nogil
    void fix_parts(const fold_store*, int64_t, fixed_sums*) noexcept nogil
    void measure_parts(
        const fold_store*, int64_t, int64_t, const fixed_sums*, uint64_t, double*) noexcept nogil
    void count_fold_margins(fold_store*) noexcept nogil
    double pair_measure(void*, int64_t, int64_t, int64_t) noexcept nogil
    double triple_measure(void*, int64_t, int64_t, int64_t) noexcept nogil
    int64_t remove_columns(
        const code_store*, int64_t, const int64_t*, int64_t, int64_t, const double*, double,
        int64_t*) noexcept nogil
    void measure_columns(const code_store*, int64_t, int64_t, int64_t, double*) noexcept nogil
    int64_t room_for_scores(int64_t) noexcept nogil
    int32_t lazy_search(
        search_state*, int64_t, int64_t, int64_t, int32_t, int32_t, int, const int64_t*, int64_t*,
        int64_t) noexcept nogil

discrete_init()
greedy_init()

max_plane_levels = MAX_PLANE_LEVELS
max_rows = MAX_ROWS
max_parts = MAX_PARTS
block_size = BLOCK
max_block_planes = MAX_BLOCK_PLANES
chunk_sizes = {n_planes: CHUNK(n_planes) for n_planes in range(1, MAX_CHUNK_PLANES + 1)}
front_size = FRONT
batch_size = BATCH
group_size = GROUP
cdef enum:
    LOOK_AHEAD = 3  # columns: what takes as long as memory does to answer


cdef class MeasureRows:
    """A measure as the kernels read it; see ``ensfs.statistics.formulas.Measure``."""

    cdef measure_rows measure

    def __init__(
        self,
        const int64_t[:, ::1] rows,       # IN  (rows + 1, sums) coefficients, the divisor last
        const double[::1] weights,        # IN  (rows,)
        bint is_signed,                   # IN  whether a row may be negative
    ):
        cdef Py_ssize_t r, i, n_rows = weights.shape[0]

        if not 1 <= n_rows <= MAX_ROWS or rows.shape[0] != n_rows + 1 or rows.shape[1] != N_SUMS:
            raise ValueError("shapes do not agree")
        memset(&self.measure, 0, sizeof(measure_rows))
        self.measure.is_signed = is_signed
        for r in range(n_rows):
            self.measure.weights[r] = weights[r]
        for r in range(n_rows + 1):
            for i in range(N_SUMS):
                self.measure.rows[r if r < n_rows else DIVISOR][i] = rows[r, i]
                if rows[r, i]:
                    self.measure.is_divided |= r == n_rows
                    self.measure.uses_target |= i >= SUM_Y
                    self.measure.uses_fy |= i == SUM_FY
        if self.measure.is_divided and n_rows > 1:
            raise ValueError("a measure with two rows has no divisor")
        self.measure.is_one_row = n_rows == 1 and not self.measure.is_divided


def make_planes(
    const uint8_t[::1, :] codes,      # IN  (n, p)
    const int64_t[::1] plane_start,   # IN  (p + 1,) planes of each column: levels - 1, or none
    Py_ssize_t start, Py_ssize_t stop,    # columns
    uint64_t[:, ::1] planes,          # OUT (planes, words)
    const int64_t[::1] position=None,  # IN  (n,) bit of each row, if not its own number
    uint8_t[::1] buffer=None,         # TEMP (64 * words,), with positions
):
    """Bit planes of the columns ``start:stop``."""
    cdef Py_ssize_t f, k, i, n = codes.shape[0], n_words = planes.shape[1], full = n // 64
    cdef uint8_t tail[64]

    if n == 0 or not 0 <= start <= stop < plane_start.shape[0]:
        raise ValueError("shapes do not agree")
    check_bounds(plane_start[start : stop + 1], planes.shape[0], "plane_start")
    if position is not None:
        if position.shape[0] != n or buffer is None or buffer.shape[0] != 64 * n_words:
            raise ValueError("shapes do not agree")
        check_places(position, 64 * n_words, "position")
        with nogil:
            memset(&buffer[0], 255, 64 * n_words)
            for f in range(start, stop):
                for i in range(n):
                    buffer[position[i]] = codes[i, f]
                for k in range(plane_start[f + 1] - plane_start[f]):
                    plane(&buffer[0], n_words, <uint8_t>(k + 1), &planes[plane_start[f] + k, 0])
        return
    if n_words != (n + 63) // 64:
        raise ValueError("shapes do not agree")
    with nogil:
        memset(tail, 255, 64)
        for f in range(start, stop):
            memcpy(tail, &codes[0, f] + 64 * full, n - 64 * full)
            for k in range(plane_start[f + 1] - plane_start[f]):
                plane(&codes[0, f], full, <uint8_t>(k + 1), &planes[plane_start[f] + k, 0])
                if full < n_words:
                    plane(tail, 1, <uint8_t>(k + 1), &planes[plane_start[f] + k, full])


cdef class CodeStore:
    """Coded columns, the target last, seen through the rows of one part.

    Holds scratch of its own, so every thread needs its own store.
    """

    cdef code_store store
    cdef count_table table
    cdef object keep
    cdef readonly object entropy
    cdef Py_ssize_t n_targets

    def __init__(
        self,
        const uint64_t[:, ::1] planes,       # IN  (planes, words) of all rows
        const int64_t[::1] plane_start,      # IN  (columns + 1,)
        const int64_t[::1] level_start,      # IN  (columns + 1,)
        codes,                               # IN  (n, columns - 1) Fortran order, or None
        const uint16_t[::1] y,               # IN  (n,) codes of the last column
        const uint64_t[::1] mask,            # IN  (words,) rows of the part, or None for all
        const int64_t[::1] rows,             # IN  (rows of the part,), or None; needed with codes
        Py_ssize_t n_rows,                   # IN  rows of the part
        const int64_t[::1] T,                # IN  (n + 1,)
        double unit,                         # IN  value of one unit of T in bits
        int32_t[::1] margins,                # OUT (levels of all columns,)
        int64_t[::1] entropy,                # OUT (columns,)
        MeasureRows measure,
        uint64_t[:, ::1] targets,            # TEMP (places, planes of one target * words)
        int32_t[:, ::1] target_cells,        # TEMP (places, 64)
        int64_t[:, ::1] target_sums,         # TEMP (places, max_rows + 1)
        int32_t[::1] counts,                 # TEMP (size,) zeros; a power of two >= 4 n with codes
        int64_t[::1] keys,                   # TEMP (size,)
        int32_t[::1] cells,                  # TEMP (n,)
    ):
        cdef const uint8_t[::1, :] narrow
        cdef const uint16_t[::1, :] wide
        cdef Py_ssize_t r, n = y.shape[0], n_columns = entropy.shape[0]

        if target_sums.shape[1] != MAX_ROWS + 1:
            raise ValueError("shapes do not agree")
        self.entropy = entropy.base
        if planes.shape[1] != (n + 63) // 64 or n_rows > n or T.shape[0] != n + 1:
            raise ValueError("shapes do not agree")
        if plane_start.shape[0] != n_columns + 1 or level_start.shape[0] != n_columns + 1:
            raise ValueError("plane_start and level_start must have a place for each column, and 1")
        if plane_start[n_columns] > planes.shape[0]:
            raise ValueError(f"planes must have room for {plane_start[n_columns]} of them")
        if level_start[n_columns] > margins.shape[0]:
            raise ValueError(f"margins must have room for {level_start[n_columns]} levels")
        if codes is not None and codes.shape != (n, n_columns - 1):
            raise ValueError(f"codes must have the shape {(n, n_columns - 1)}; got {codes.shape}")
        if codes is not None:
            if counts.shape[0] < 4 * n or cells.shape[0] < n or keys.shape[0] < counts.shape[0]:
                raise ValueError("shapes do not agree")
            if mask is not None and (rows is None or rows.shape[0] != n_rows):
                raise ValueError("shapes do not agree")
        self.keep = (planes, plane_start, level_start, codes, y, mask, rows, T, margins, entropy,
                     measure, targets, target_cells, target_sums, counts, keys, cells)
        self.n_targets = min(targets.shape[0], target_cells.shape[0], target_sums.shape[0])
        self.store.planes = &planes[0, 0] if planes.shape[0] else NULL
        self.store.plane_start = &plane_start[0]
        self.store.level_start = &level_start[0]
        self.store.margins = &margins[0]
        self.store.entropy = &entropy[0]
        self.store.mask = NULL if mask is None else &mask[0]
        self.store.codes = NULL
        self.store.wide = 0
        if codes is not None and codes.dtype.itemsize == 1:
            narrow = codes
            self.store.codes = &narrow[0, 0]
        elif codes is not None:
            wide = codes
            self.store.codes = &wide[0, 0]
            self.store.wide = 1
        self.store.y = &y[0]
        self.store.rows = NULL if rows is None else &rows[0]
        self.store.n_columns = entropy.shape[0]
        self.store.n_total = n
        self.store.n = n_rows
        self.store.n_words = planes.shape[1]
        self.store.T = &T[0]
        self.store.scale = unit / self.store.n
        self.store.targets = &targets[0, 0] if targets.shape[1] else NULL
        self.store.target_stride = targets.shape[1]
        self.store.measure = &measure.measure
        self.store.cells = &target_cells[0, 0]
        self.store.fixed = <fixed_sums*>&target_sums[0, 0]
        for r in range(MAX_ROWS):
            self.store.units[r] = measure.measure.weights[r]
            if not measure.measure.is_divided:
                self.store.units[r] *= self.store.scale
        self.table.count = &counts[0] if counts.shape[0] else NULL
        self.table.key = &keys[0] if counts.shape[0] else NULL
        self.table.size = counts.shape[0]
        self.table.cell = &cells[0] if counts.shape[0] else NULL
        self.store.scratch = &self.table

    cdef pair_function pair(self):
        """What measures a column with a target."""
        return triple_measure if self.store.measure.uses_target else pair_measure

    def count_margins(self):
        """Count the levels of every column in the part, and its entropy."""
        with nogil:
            count_margins(&self.store)

    def measure(
        self,
        Py_ssize_t g,                 # IN  column
        Py_ssize_t start, Py_ssize_t stop,    # columns
        double[::1] out,              # OUT (stop - start,)
    ):
        """The measure of the columns ``start:stop`` with column ``g``."""
        if out.shape[0] != stop - start or g >= self.store.n_columns:
            raise ValueError("shapes do not agree")
        if start == stop:
            return
        with nogil:
            set_target(&self.store, 0, g)
            measure_columns(&self.store, g, start, stop, &out[0])

    def remove_redundant(
        self,
        const int64_t[::1] order,     # IN  columns by decreasing relevance
        const double[::1] relevance,  # IN  (p,)
        Py_ssize_t place,             # IN  place in `order` of the column to compare with
        double tolerance,
        int64_t[::1] removed_by,      # IN/OUT (p,) -1 while a column stays
        Py_ssize_t start=0, Py_ssize_t stop=-1,   # places to look at; negative: to the end
    ):
        """Remove the columns after ``place`` that its column makes redundant; count the pairs.

        A column goes when its measure with the column at ``place`` is not below its relevance.
        """
        cdef Py_ssize_t g = order[place]
        cdef int64_t n_read

        if stop < 0 or stop > order.shape[0]:
            stop = order.shape[0]
        if start <= place:
            start = place + 1
        with nogil:
            set_target(&self.store, 0, g)
            n_read = remove_columns(
                &self.store, g, &order[0], start, stop, &relevance[0], tolerance, &removed_by[0])
        return n_read

    def lazy_search(
        self,
        const double[::1] relevance,  # IN  (p,), -inf for constant columns
        double[::1] terms,            # IN/OUT (p,) sum (or least) of the terms so far
        int32_t[::1] evaluated,       # IN/OUT (p,) how many of them; negative if taken
        double[::1] nearest_value,    # IN/OUT (p,) largest redundancy seen, or None
        int32_t[::1] nearest,         # IN/OUT (p,) and with which choice
        double[::1] bounds,           # TEMP (scores_room(p),)
        int32_t[::1] touched,         # TEMP (p,)
        int64_t[::1] selected,        # IN/OUT (k,) columns in the order of selection
        double[::1] scores,           # OUT (k,) their scores
        double[::1] redundancy,       # OUT (k,) the mean of their terms
        int32_t[::1] depth,           # OUT (k,) how many of them were evaluated
        int64_t[::1] candidates,      # TEMP (p,)
        int start, int stop,          # IN  steps
        int criterion,               # IN  flags
        const int64_t[::1] hints,     # IN  (k,) columns that are likely to win, or None
        Py_ssize_t limit,             # IN  pairs to read at most
    ):
        """Steps of greedy selection by exact lazy evaluation; returns the step it came to.

        That is before `stop` if the limit was reached: calling again goes on from there.
        """
        cdef search_state state
        cdef Py_ssize_t p = relevance.shape[0]
        cdef int32_t reached

        if p == 0 or p > self.store.n_columns or not 0 <= start <= stop <= selected.shape[0]:
            raise ValueError("shapes do not agree")
        if bounds.shape[0] < room_for_scores(p):
            raise ValueError("shapes do not agree")
        if candidates.shape[0] < p or touched.shape[0] < p or stop > self.n_targets:
            raise ValueError("shapes do not agree")
        state.pair = self.pair()
        state.prepare = prepare_target
        state.context = &self.store
        state.relevance = &relevance[0]
        state.terms = &terms[0]
        state.evaluated = &evaluated[0]
        state.nearest_value = NULL if nearest_value is None else &nearest_value[0]
        state.nearest = NULL if nearest is None else &nearest[0]
        state.bounds = &bounds[0]
        state.touched = &touched[0]
        state.selected = &selected[0]
        state.scores = &scores[0]
        state.redundancy = &redundancy[0]
        state.depth = &depth[0]
        with nogil:
            reached = lazy_search(
                &state, 1, p, p, start, stop, criterion, NULL if hints is None else &hints[0],
                &candidates[0], limit)
        return reached

    def allocate(
        self,
        const int64_t[::1] seeds,     # IN  first member of each subset
        const int64_t[::1] order,     # IN  the next columns to allocate, one after the other
        const double[::1] relevance,  # IN  (p,)
        double threshold,             # IN  what the redundancy of a column must stay below
        int32_t[::1] subset,          # OUT (p,) subset of each seed and each column of the order,
                                      #     -1 for a column that stays out
        double[::1] redundancy,       # OUT (p,) of each column of the order: its largest measure
                                      #     with a member of the least redundant subset, minus its
                                      #     relevance; of one that stays out, at least that
        int32_t[::1] nearest,         # OUT (p,) that member, or -1
        int32_t[:, ::1] places,       # TEMP (5, subsets)
        double[::1] largest,          # TEMP (subsets,)
        int32_t[:, ::1] links,        # TEMP (2, blocks): room for all columns in blocks of
                                      #     `block_size`, and one more block for each subset
        int32_t[:, ::1] members,      # TEMP (blocks, block_size)
        uint64_t[:, ::1] planes,      # TEMP (blocks + 1, planes of a column * words * block_size);
                                      #     none if a column has more than `max_block_planes`
        float[::1] levels,            # TEMP (blocks * block_size * (2 * planes of a column + 3),)
        int64_t[:, ::1] entropies,    # TEMP (blocks, block_size)
        double[::1] progress,         # IN, OUT (3,) blocks in use, pairs compared, a guess of the
                                      #     search; zeros before the first call, which adds the
                                      #     seeds. The TEMP arrays are kept between calls.
    ):
        """Put each column into the subset whose members have the least in common with it.

        The columns can be passed in several calls, so that no call is long.
        """
        cdef Py_ssize_t i, f, p = relevance.shape[0], n_subsets = seeds.shape[0]
        cdef Py_ssize_t n_lanes = members.shape[0] * BLOCK
        cdef bint is_first = progress.shape[0] > 0 and progress[0] == 0
        cdef int64_t best
        cdef double limit
        cdef subset_blocks b

        if n_subsets == 0 or p == 0 or p >= self.store.n_columns:
            raise ValueError("shapes do not agree")
        if subset.shape[0] != p or redundancy.shape[0] != p or nearest.shape[0] != p:
            raise ValueError("shapes do not agree")
        if places.shape[0] != 5 or places.shape[1] != n_subsets or largest.shape[0] != n_subsets:
            raise ValueError("shapes do not agree")
        if progress.shape[0] != 3 or not 0 <= progress[0] <= members.shape[0]:
            raise ValueError("shapes do not agree")
        b.n_blocks, b.n_read, b.guess = <int64_t>progress[0], <int64_t>progress[1], progress[2]
        # new members fill the open block of their subset before they begin another
        if n_lanes - b.n_blocks * BLOCK < (
            order.shape[0] + n_subsets * (BLOCK + 1 if is_first else BLOCK - 1)
        ) or members.shape[1] != BLOCK:
            raise ValueError("shapes do not agree")
        if links.shape[0] != 2 or links.shape[1] != members.shape[0]:
            raise ValueError("shapes do not agree")
        b.n_planes = planes.shape[1] // (self.store.n_words * BLOCK)
        if b.n_planes > MAX_BLOCK_PLANES or planes.shape[0] != members.shape[0] + 1:
            raise ValueError("shapes do not agree")
        if entropies.shape[0] != members.shape[0] or entropies.shape[1] != BLOCK:
            raise ValueError("shapes do not agree")
        if levels.shape[0] != n_lanes * (2 * b.n_planes + 3):
            raise ValueError("shapes do not agree")
        b.n_subsets = n_subsets
        b.head = &places[0, 0]
        b.open = &places[1, 0]
        b.before = &places[2, 0]
        b.at = &places[3, 0]
        b.nearest = &places[4, 0]
        b.largest = &largest[0]
        b.next = &links[0, 0]
        b.sizes = &links[1, 0]
        b.members = &members[0, 0]
        b.planes = b.column_planes = NULL
        if b.n_planes:
            b.planes = &planes[0, 0]
            b.column_planes = &planes[planes.shape[0] - 1, 0]
        b.entropies = &entropies[0, 0]
        b.halves = &levels[0]
        b.margins = b.halves + n_lanes
        b.inverses = b.margins + n_lanes * (b.n_planes + 1)
        with nogil:
            if is_first:
                for i in range(n_subsets):
                    b.head[i] = b.open[i] = -1
                for i in range(n_subsets):
                    f = seeds[i]
                    take_column(&self.store, &b, f)
                    add_member(&self.store, &b, i, f)
                    subset[f] = <int32_t>i
            for i in range(order.shape[0]):
                f = order[i]
                limit = relevance[f] + threshold - TIE_TOLERANCE
                take_column(&self.store, &b, f)
                best = least_redundant(&self.store, &b, f, limit)
                redundancy[f] = b.largest[best] - relevance[f]
                nearest[f] = b.nearest[best]
                subset[f] = -1
                if b.largest[best] < limit:
                    subset[f] = <int32_t>best
                    add_member(&self.store, &b, best, f)
        progress[0], progress[1], progress[2] = b.n_blocks, b.n_read, b.guess


cdef class SubsetChunks:
    """The subsets of a decomposition, their members side by side; see ``chunks.h``.

    Columns come in batches: `look` compares each with the members before the batch, in any order
    and by any thread; `settle` goes through them one after the other and finds their subsets.
    """

    cdef subset_chunks chunks
    cdef Py_ssize_t n_chunks
    cdef object keep

    def __init__(
        self,
        CodeStore store,
        const uint8_t[:, ::1] tables,    # IN  (rows + 1, 16 * banks)
        double units,                    # IN  of the tables, in a bit
        bint in_parts,                   # IN  whether excesses are subtracted level by level
        const uint8_t[::1] sure,         # IN  (rows + 1,) whether a level of so many rows needs no
                                         #     test for cells without an entry
        double most_entropy,             # IN  rows times log2 of the levels
        const int64_t[::1] seeds,        # IN  first member of each subset
        int32_t[:, ::1] places,          # TEMP (3, subsets)
        int32_t[:, ::1] columns,         # TEMP (2, p) zeros
        int32_t[:, ::1] links,           # TEMP (2, chunks): for all columns, one more for each
                                         #     subset, and `front_size` members of each
        double[::1] most_excess,         # TEMP (chunks,)
        int32_t[:, ::1] members,         # TEMP (chunks, members of a chunk)
        uint64_t[:, :, ::1] bits,        # TEMP (chunks, rows + 1, planes * members / 64)
        uint8_t[:, :, ::1] levels,       # TEMP (chunks, planes + 2, members)
    ):
        cdef subset_chunks *b = &self.chunks
        cdef Py_ssize_t n_chunks = members.shape[0]

        b.n_subsets, b.n_planes, b.n_rows = seeds.shape[0], levels.shape[1] - 2, store.store.n
        b.chunk = CHUNK(b.n_planes)
        b.n_banks = tables.shape[1] // 16
        if b.n_subsets == 0 or places.shape[0] != 3 or places.shape[1] != b.n_subsets:
            raise ValueError("shapes do not agree")
        if not 1 <= b.n_planes <= MAX_CHUNK_PLANES or b.n_rows > 255 or b.n_banks not in (2, 4):
            raise ValueError("shapes do not agree")
        if tables.shape[0] != b.n_rows + 1 or sure.shape[0] != b.n_rows + 1:
            raise ValueError("shapes do not agree")
        if columns.shape[0] != 2:
            raise ValueError("shapes do not agree")
        if columns.shape[1] != store.store.n_columns - 1:
            raise ValueError("shapes do not agree")
        if n_chunks == 0 or links.shape[0] != 2 or links.shape[1] != n_chunks:
            raise ValueError("shapes do not agree")
        if members.shape[1] != b.chunk or most_excess.shape[0] != n_chunks:
            raise ValueError("shapes do not agree")
        if bits.shape[0] != n_chunks or bits.shape[1] != b.n_rows + 1:
            raise ValueError("shapes do not agree")
        if bits.shape[2] != b.n_planes * b.chunk // 64:
            raise ValueError("shapes do not agree")
        if levels.shape[0] != n_chunks or levels.shape[2] != b.chunk:
            raise ValueError("shapes do not agree")
        self.keep = (
            tables, sure, places, columns, links, most_excess, members, bits, levels)
        self.n_chunks = n_chunks
        b.tables = &tables[0, 0]
        b.units, b.in_parts, b.most_entropy = units, in_parts, most_entropy
        b.slack, b.sure = (b.n_planes + 1) * (b.n_planes + 1) // 2, &sure[0]
        b.first, b.last, b.waiting = &places[0, 0], &places[1, 0], &places[2, 0]
        b.waiting_next, b.hits = &columns[0, 0], &columns[1, 0]
        b.next, b.sizes = &links[0, 0], &links[1, 0]
        b.most_excess = &most_excess[0]
        b.members = &members[0, 0]
        b.bits = &bits[0, 0, 0]
        b.margins = &levels[0, 0, 0]
        b.excess = b.margins + n_chunks * b.n_planes * b.chunk
        begin_subsets(&store.store, b, &seeds[0])

    def look(
        self,
        CodeStore store,
        const int64_t[::1] batch,        # IN  columns
        const double[::1] limits,        # IN  (batch,) what the measure has to stay below
        Py_ssize_t start, Py_ssize_t stop,    # columns of the batch to look at, up to batch_size
        double[:, ::1] largest,          # OUT (batch, subsets)
        int32_t[:, ::1] nearest,         # OUT (batch, subsets)
        int32_t[:, ::1] at,              # OUT (batch, subsets)
        uint8_t[:, ::1] tops,            # OUT (batch, chunks)
        int64_t[::1] n_read,             # OUT (batch,)
        uint16_t[:, ::1] rows,           # TEMP (columns to look at, planes * (rows + 8))
        uint8_t[:, :, ::1] cells,        # TEMP (group_size, planes * planes + 1,
                                         #     members of a chunk)
    ):
        """Compare columns with the members before their batch, as far as it is needed."""
        cdef Py_ssize_t k, n = stop - start
        cdef chunk_column[BATCH] c

        self._check(batch, limits, largest, nearest, at, tops, n_read, rows, cells)
        if not 0 <= start < stop <= batch.shape[0] or n > min(rows.shape[0], BATCH):
            raise ValueError("shapes do not agree")
        with nogil:
            for k in range(n):
                c[k].rooms = &cells[0, 0, 0]
                c[k].row_room = &rows[k, 0]
                c[k].limit = limits[start + k]
                c[k].largest, c[k].nearest = &largest[start + k, 0], &nearest[start + k, 0]
                c[k].at, c[k].tops = &at[start + k, 0], &tops[start + k, 0]
            look_ahead(&store.store, &self.chunks, c, &batch[start], n)
            for k in range(n):
                n_read[start + k] = c[k].n_read

    def settle(
        self,
        CodeStore store,
        const int64_t[::1] batch,        # IN  columns that were looked at
        const double[::1] limits,        # IN  (batch,)
        double[:, ::1] largest,          # IN/OUT (batch, subsets)
        int32_t[:, ::1] nearest,         # IN/OUT (batch, subsets)
        int32_t[:, ::1] at,              # IN/OUT (batch, subsets)
        uint8_t[:, ::1] tops,            # IN/OUT (batch, chunks)
        int64_t[::1] n_read,             # IN  (batch,)
        uint16_t[:, ::1] rows,           # TEMP (1, planes * (rows + 8))
        uint8_t[:, :, ::1] cells,        # TEMP (group_size, planes * planes + 1,
                                         #     members of a chunk)
        uint8_t[::1] met,                # TEMP (subsets,)
        int32_t[::1] subset,             # OUT (p,) subset of each column of the batch, or -1
        double[::1] measure,             # OUT (p,) largest measure with a member of it
        int32_t[::1] member,             # OUT (p,) that member, or -1
    ):
        """Put each column into the subset whose members know the least of it, or into none.

        Returns the number of pairs that were compared for the batch.
        """
        cdef Py_ssize_t i
        cdef int64_t best, f, n_pairs = 0
        cdef Py_ssize_t p = store.store.n_columns - 1
        cdef chunk_column c

        self._check(batch, limits, largest, nearest, at, tops, n_read, rows, cells)
        if met.shape[0] != self.chunks.n_subsets or subset.shape[0] != p:
            raise ValueError("shapes do not agree")
        if measure.shape[0] != p or member.shape[0] != p:
            raise ValueError("shapes do not agree")
        c.rooms, c.row_room = &cells[0, 0, 0], &rows[0, 0]
        with nogil:
            for i in range(batch.shape[0]):
                f = batch[i]
                c.limit = limits[i]
                c.largest, c.nearest, c.at = &largest[i, 0], &nearest[i, 0], &at[i, 0]
                c.tops = &tops[i, 0]
                c.n_read = n_read[i]
                best = find_subset(&store.store, &self.chunks, &c, f, &met[0])
                n_pairs += c.n_read
                measure[f] = c.largest[best]
                member[f] = c.nearest[best]
                subset[f] = -1
                if c.largest[best] < c.limit:
                    subset[f] = <int32_t>best
                    let_wait(&self.chunks, best, f)
            place_waiting(&store.store, &self.chunks)
        return n_pairs

    cdef _check(
        self, const int64_t[::1] batch, const double[::1] limits, double[:, ::1] largest,
        int32_t[:, ::1] nearest, int32_t[:, ::1] at, uint8_t[:, ::1] tops, int64_t[::1] n_read,
        uint16_t[:, ::1] rows, uint8_t[:, :, ::1] cells,
    ):
        cdef Py_ssize_t n = batch.shape[0], n_subsets = self.chunks.n_subsets
        cdef Py_ssize_t n_planes = self.chunks.n_planes

        if limits.shape[0] != n or n_read.shape[0] < n:
            raise ValueError("shapes do not agree")
        if largest.shape[0] < n or nearest.shape[0] < n or at.shape[0] < n:
            raise ValueError("shapes do not agree")
        if largest.shape[1] != n_subsets or nearest.shape[1] != n_subsets:
            raise ValueError("shapes do not agree")
        if rows.shape[0] == 0 or rows.shape[1] < n_planes * (self.chunks.n_rows + 8):
            raise ValueError("shapes do not agree")
        if at.shape[1] != n_subsets or tops.shape[0] < n or tops.shape[1] != self.n_chunks:
            raise ValueError("shapes do not agree")
        if cells.shape[0] != GROUP or cells.shape[1] != n_planes * n_planes + 1:
            raise ValueError("shapes do not agree")
        if cells.shape[2] != self.chunks.chunk:
            raise ValueError("shapes do not agree")


cdef class FoldStore:
    """Coded columns, the target last, with each fold in words of its own: all parts at once."""

    cdef fold_store store
    cdef object keep

    def __init__(
        self,
        const uint64_t[:, ::1] planes,       # IN  (planes, folds * words of a fold)
        const int64_t[::1] plane_start,      # IN  (columns + 1,)
        const int64_t[::1] n_part,           # IN  (folds,) rows of each part
        const int64_t[::1] total,            # IN  (folds,) T of these
        const double[::1] units,             # IN  (folds,) weight of the row, times the value of a
                                             #     unit in bits unless the measure is divided
        const int64_t[::1] T,
        MeasureRows measure,                 # IN  of pairs, one row
        int32_t[:, ::1] margins,             # OUT (planes + columns, folds)
        int64_t[:, ::1] entropy,             # OUT (columns, folds)
    ):
        cdef Py_ssize_t n_folds = n_part.shape[0]

        if n_folds > MAX_PARTS or planes.shape[1] % n_folds:
            raise ValueError("shapes do not agree")
        if entropy.shape[0] != plane_start.shape[0] - 1 or entropy.shape[1] != n_folds:
            raise ValueError("shapes do not agree")
        if margins.shape[0] != planes.shape[0] + entropy.shape[0] or margins.shape[1] != n_folds:
            raise ValueError("shapes do not agree")
        if measure.measure.uses_target or not (
            measure.measure.is_one_row or measure.measure.is_divided
        ):
            raise ValueError("the measure is not one row of pairs")
        self.keep = (planes, plane_start, n_part, total, units, T, measure, margins, entropy)
        self.store.planes = &planes[0, 0] if planes.shape[0] else NULL
        self.store.plane_start = &plane_start[0]
        self.store.margins = &margins[0, 0]
        self.store.entropy = &entropy[0, 0]
        self.store.n_part = &n_part[0]
        self.store.total = &total[0]
        self.store.units = &units[0]
        self.store.measure = &measure.measure
        self.store.T = &T[0]
        self.store.n_columns = entropy.shape[0]
        self.store.n_folds = n_folds
        self.store.fold_words = planes.shape[1] // n_folds
        self.store.n_words = planes.shape[1]
        with nogil:
            count_fold_margins(&self.store)

    def measure(
        self,
        Py_ssize_t g,                 # IN  column
        Py_ssize_t start, Py_ssize_t stop,    # columns
        double[:, ::1] out,           # OUT (parts, p)
    ):
        """The measure of the columns ``start:stop`` with column ``g`` in all parts."""
        cdef Py_ssize_t f, t
        cdef double values[MAX_PARTS]
        cdef fixed_sums fixed[MAX_PARTS]

        if out.shape[0] != self.store.n_folds or stop > out.shape[1]:
            raise ValueError("shapes do not agree")
        with nogil:
            fix_parts(&self.store, g, fixed)
            for f in range(start, stop):
                measure_parts(&self.store, f, g, fixed, ~<uint64_t>0, values)
                for t in range(self.store.n_folds):
                    out[t, f] = values[t]

    def redundant(
        self,
        Py_ssize_t g,                 # IN  column to compare with
        const int64_t[::1] columns,   # IN  columns to look at
        const uint64_t[::1] pending,  # IN  (p,) bit t: part t has not decided about the column
        const double[:, ::1] relevance,   # IN  (p, parts)
        double tolerance,
        uint64_t[::1] out,            # OUT (columns,) bit t: pending and redundant in part t
    ):
        """In which parts the columns know no more of the target than ``g`` knows of them."""
        cdef Py_ssize_t i, t, q, ahead, n_parts = self.store.n_folds
        cdef uint64_t bits, wanted
        cdef double values[MAX_PARTS]
        cdef fixed_sums fixed[MAX_PARTS]

        if out.shape[0] != columns.shape[0] or relevance.shape[1] != n_parts:
            raise ValueError("shapes do not agree")
        with nogil:
            fix_parts(&self.store, g, fixed)
            for i in range(columns.shape[0]):
                q = columns[i]
                if i + LOOK_AHEAD < columns.shape[0]:
                    ahead = columns[i + LOOK_AHEAD]
                    prefetch_fold_column(&self.store, ahead)
                    prefetch_lines(&relevance[ahead, 0], n_parts * sizeof(double))
                wanted = pending[q]
                measure_parts(&self.store, q, g, fixed, wanted, values)
                bits = 0
                for t in range(n_parts):
                    if wanted >> t & 1 and values[t] >= relevance[q, t] - tolerance:
                        bits |= <uint64_t>1 << t
                out[i] = bits


def remove_in_part(
    const int64_t[::1] columns,       # IN  columns that were looked at: at least the pending
    const uint64_t[::1] redundant,    # IN  (columns,) bit t: redundant in part t
    Py_ssize_t t,                     # IN  part
    Py_ssize_t g,                     # IN  column that removes
    const double[::1] key,            # IN  (p,) what the part orders its columns by
    int64_t[::1] removed_by,          # OUT (p,)
    uint64_t[::1] pending,            # IN/OUT (p,) bit t: part t has not decided about the column
):
    """Remove from one part what ``g`` makes redundant: (the next column or -1, pairs compared)."""
    cdef Py_ssize_t i, q, n_compared = 0, best = -1

    with nogil:
        for i in range(columns.shape[0]):
            q = columns[i]
            if pending[q] >> t & 1:
                n_compared += 1
                if redundant[i] >> t & 1:
                    removed_by[q] = g
                    pending[q] &= ~(<uint64_t>1 << t)
                elif best < 0 or key[q] > key[best]:
                    best = q
    return best, n_compared


def add_tables(
    const int32_t[::1, :] codes,      # IN  (n, p) place of each cell among the columns of a table
    const int32_t[::1] row,           # IN  (n,) row of the tables
    int32_t[:, ::1] tables,           # OUT (rows, places), added to
):
    """Count every column against a target: one table with the levels of all columns abreast."""
    cdef Py_ssize_t i, f

    if row.shape[0] != codes.shape[0]:
        raise ValueError("shapes do not agree")
    check_places(row, tables.shape[0], "row")
    for f in range(codes.shape[1]):
        check_places(codes[:, f], tables.shape[1], "codes")
        with nogil:
            for i in range(codes.shape[0]):
                tables[row[i], codes[i, f]] += 1
