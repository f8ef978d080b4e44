"""Columns into the subsets of a decomposition; see allocate.h.

A column goes to the subset whose closest member has the least in common with it. `SubsetChunks`
is for tables with few rows and levels, `SubsetBlocks` for all others; they give the same subsets.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t

from ensfs._core.checks cimport (
    check_length, check_places, check_range, check_shape, check_space
)
from ensfs._core.discrete cimport CodeStore, code_store, discrete_init

cdef extern from "allocate.h":
    double ENSFS_TIE_TOLERANCE
    enum:
        ENSFS_BLOCK
        FIXED_PLANES
        MAX_BLOCK_PLANES
        ENSFS_FRONT
        ENSFS_BATCH
        ENSFS_GROUP
        MAX_CHUNK_PLANES
    ctypedef struct subset_blocks:
        int64_t n_subsets
        int32_t* head
        int32_t* open
        int32_t* before
        int32_t* at
        int32_t* nearest
        double* largest
        double guess
        int64_t n_blocks
        int32_t* next
        int32_t* sizes
        int32_t* widest
        int32_t* members
        int64_t n_planes
        uint64_t* planes
        float* margins
        float* inverses
        int64_t* entropies
        float* halves
        uint64_t* column_planes
        int64_t n_read
    int chosen_level() noexcept
    void take_column(code_store*, subset_blocks*, int64_t) noexcept nogil
    void add_member(const code_store*, subset_blocks*, int64_t, int64_t) noexcept nogil
    int64_t least_redundant(
        const code_store*, subset_blocks*, int64_t, double) noexcept nogil
    int64_t chunk_size "ENSFS_CHUNK"(int64_t) noexcept nogil
    ctypedef struct subset_chunks:
        int64_t n_subsets, n_planes, n_rows
        int64_t chunk
        int64_t n_banks
        const uint8_t* tables
        double units_per_bit
        int subtract_per_level
        int slack
        const uint8_t* saturates
        double most_entropy
        int32_t* first
        int32_t* last
        int32_t* waiting
        int32_t* waiting_next
        int64_t n_chunks
        int32_t* next
        int32_t* sizes
        double* most_excess
        int32_t* members
        uint64_t* bits
        uint8_t* margins
        uint8_t* excess
        int32_t* hits
        double guess
    ctypedef struct chunk_column:
        double limit
        double* largest
        int32_t* nearest
        int32_t* at
        int64_t n_read
        uint8_t* workspaces
        uint16_t* row_workspace
        uint8_t* tops
    void begin_subsets(const code_store*, subset_chunks*, const int64_t*) noexcept nogil
    void look_ahead(
        const code_store*, const subset_chunks*, chunk_column*, const int64_t*,
        int64_t) noexcept nogil
    int64_t find_subset(
        code_store*, subset_chunks*, chunk_column*, int64_t, uint8_t*) noexcept nogil
    void let_wait(subset_chunks*, int64_t, int64_t) noexcept nogil
    void place_waiting(const code_store*, subset_chunks*) noexcept nogil

discrete_init()

block_size = ENSFS_BLOCK
# without vectors that count bits, more are counted faster pair by pair
max_block_planes = MAX_BLOCK_PLANES if chosen_level() > 0 else FIXED_PLANES
chunk_sizes = {n_planes: chunk_size(n_planes) for n_planes in range(1, MAX_CHUNK_PLANES + 1)}
front_size = ENSFS_FRONT
batch_size = ENSFS_BATCH
group_size = ENSFS_GROUP


cdef class SubsetBlocks:
    """The subsets of a decomposition, their members in blocks of eight; see ``blocks.h``."""

    cdef subset_blocks blocks
    cdef CodeStore store
    cdef Py_ssize_t most_blocks
    cdef object keep

    def __init__(
        self,
        CodeStore store,
        const int64_t[::1] seeds,     # IN  first member of each subset
        int32_t[:, ::1] places,       # TEMP (5, subsets)
        double[::1] largest,          # TEMP (subsets,)
        int32_t[:, ::1] links,        # TEMP (3, blocks): for all columns in blocks of
                                      #     `block_size`, and one more block for each subset
        int32_t[:, ::1] members,      # TEMP (blocks, block_size)
        uint64_t[:, ::1] planes,      # TEMP (blocks + 1, planes of a column * words * block_size);
                                      #     none if a column has more than `max_block_planes`
        float[::1] levels,            # TEMP (blocks * block_size * (2 * planes of a column + 3),)
        int64_t[:, ::1] entropies,    # TEMP (blocks, block_size)
    ):
        cdef Py_ssize_t i, n_subsets = seeds.shape[0], n_blocks = members.shape[0]
        cdef Py_ssize_t n_lanes = n_blocks * ENSFS_BLOCK
        cdef subset_blocks* b = &self.blocks

        check_space(n_subsets, 1, "seeds")
        check_places(seeds, store.store.n_columns - 1, "seeds")
        check_space(n_blocks, n_subsets, "members")
        b.n_planes = planes.shape[1] // (store.store.n_words * ENSFS_BLOCK)
        if b.n_planes > MAX_BLOCK_PLANES:
            raise ValueError(f"planes must hold at most {MAX_BLOCK_PLANES}; got {b.n_planes}")
        check_shape(places.shape, 5, n_subsets, "places")
        check_length(largest.shape[0], n_subsets, "largest")
        check_shape(links.shape, 3, n_blocks, "links")
        check_shape(members.shape, n_blocks, ENSFS_BLOCK, "members")
        check_length(planes.shape[0], n_blocks + 1, "planes")
        check_length(levels.shape[0], n_lanes * (2 * b.n_planes + 3), "levels")
        check_shape(entropies.shape, n_blocks, ENSFS_BLOCK, "entropies")
        self.keep = (seeds, places, largest, links, members, planes, levels, entropies)
        self.store, self.most_blocks = store, n_blocks
        b.n_subsets, b.n_blocks, b.n_read, b.guess = n_subsets, 0, 0, 0.0
        b.head, b.open, b.before = &places[0, 0], &places[1, 0], &places[2, 0]
        b.at, b.nearest, b.largest = &places[3, 0], &places[4, 0], &largest[0]
        b.next, b.sizes, b.widest = &links[0, 0], &links[1, 0], &links[2, 0]
        b.members = &members[0, 0]
        b.planes = b.column_planes = NULL
        if b.n_planes:
            b.planes, b.column_planes = &planes[0, 0], &planes[n_blocks, 0]
        b.entropies = &entropies[0, 0]
        b.halves = &levels[0]
        b.margins = b.halves + n_lanes
        b.inverses = b.margins + n_lanes * (b.n_planes + 1)
        for i in range(n_subsets):
            b.head[i] = b.open[i] = -1
        for i in range(n_subsets):
            take_column(&store.store, b, seeds[i])
            add_member(&store.store, b, i, seeds[i])

    @property
    def n_read(self):
        """Pairs that were compared."""
        return self.blocks.n_read

    def allocate(
        self,
        const int64_t[::1] order,     # IN  the next columns to allocate, one after the other
        const double[::1] relevance,  # IN  (p,)
        double threshold,             # IN  what the redundancy of a column must stay below
        int32_t[::1] subset,          # OUT (p,) of each column of the order, -1 if it stays out
        double[::1] redundancy,       # OUT (p,) of each column of the order: its largest measure
                                      #     with a member of the least redundant subset, minus its
                                      #     relevance; of one that stays out, at least that
        int32_t[::1] nearest,         # OUT (p,) that member, or -1
    ):
        """Put each column into the subset whose members have the least in common with it.

        The columns can be passed in several calls, so that no call is long.
        """
        cdef Py_ssize_t i, f, p = self.store.store.n_columns - 1
        cdef int64_t best
        cdef double limit
        cdef subset_blocks* b = &self.blocks

        check_places(order, p, "order")
        check_length(relevance.shape[0], p, "relevance")
        check_length(subset.shape[0], p, "subset")
        check_length(redundancy.shape[0], p, "redundancy")
        check_length(nearest.shape[0], p, "nearest")
        # new members fill the open block of their subset before they begin another
        if (self.most_blocks - b.n_blocks) * ENSFS_BLOCK < (
            order.shape[0] + b.n_subsets * (ENSFS_BLOCK - 1)
        ):
            raise ValueError(f"order must leave a block for each member; got {order.shape[0]}")
        with nogil:
            for i in range(order.shape[0]):
                f = order[i]
                limit = relevance[f] + threshold - ENSFS_TIE_TOLERANCE
                take_column(&self.store.store, b, f)
                best = least_redundant(&self.store.store, b, f, limit)
                redundancy[f] = b.largest[best] - relevance[f]
                nearest[f] = b.nearest[best]
                subset[f] = -1
                if b.largest[best] < limit:
                    subset[f] = <int32_t>best
                    add_member(&self.store.store, b, best, f)


cdef class BoundTables:
    """How bounds are held in bytes; see ``chunks.h``."""

    cdef const uint8_t[:, ::1] tables
    cdef const uint8_t[::1] saturates
    cdef double units_per_bit, most_entropy
    cdef bint subtract_per_level

    def __init__(
        self,
        const uint8_t[:, ::1] tables,    # IN  (rows + 1, 16 * banks), two banks or four
        const uint8_t[::1] saturates,    # IN  (rows + 1,) whether a level of so many rows needs no
                                         #     test for cells without an entry
        double units_per_bit,
        bint subtract_per_level,         # IN  whether excesses are subtracted level by level
        double most_entropy,             # IN  rows times log2 of the levels
    ):
        if tables.shape[1] not in (32, 64):
            raise ValueError(f"tables must have 32 or 64 columns; got {tables.shape[1]}")
        check_length(saturates.shape[0], tables.shape[0], "saturates")
        self.tables, self.saturates = tables, saturates
        self.units_per_bit, self.most_entropy = units_per_bit, most_entropy
        self.subtract_per_level = subtract_per_level


cdef class ChunkStates:
    """What is known of the columns of a batch."""

    cdef double[:, ::1] largest
    cdef int32_t[:, ::1] nearest, at
    cdef uint8_t[:, ::1] tops
    cdef int64_t[::1] n_read

    def __init__(
        self,
        double[:, ::1] largest,          # (batch, subsets) largest measure with a member
        int32_t[:, ::1] nearest,         # (batch, subsets) that member
        int32_t[:, ::1] at,              # (batch, subsets) chunk to look at next
        uint8_t[:, ::1] tops,            # (batch, chunks) largest bounds
        int64_t[::1] n_read,             # (batch,) pairs that were compared
    ):
        check_shape(nearest.shape, largest.shape[0], largest.shape[1], "nearest")
        check_shape(at.shape, largest.shape[0], largest.shape[1], "at")
        check_length(tops.shape[0], largest.shape[0], "tops")
        check_length(n_read.shape[0], largest.shape[0], "n_read")
        self.largest, self.nearest, self.at, self.tops = largest, nearest, at, tops
        self.n_read = n_read

    cdef void fill(self, Py_ssize_t k, chunk_column* c) noexcept nogil:
        """Point a column at what is known of it."""
        c.largest, c.nearest, c.at = &self.largest[k, 0], &self.nearest[k, 0], &self.at[k, 0]
        c.tops = &self.tops[k, 0]


cdef class ChunkWorkspace:
    """Scratch for comparing columns with chunks, for one thread."""

    cdef uint16_t[:, ::1] rows
    cdef uint8_t[:, :, ::1] cells

    def __init__(
        self,
        uint16_t[:, ::1] rows,           # TEMP (columns to look at, planes * (rows + 8))
        uint8_t[:, :, ::1] cells,        # TEMP (group_size, planes ** 2 + 1, members of a chunk)
    ):
        self.rows, self.cells = rows, cells

    cdef int check(self, const subset_chunks* b, Py_ssize_t n) except -1:
        """Raise an error unless there is space to look at ``n`` columns."""
        check_space(self.rows.shape[0], n, "rows")
        check_space(self.rows.shape[1], b.n_planes * (b.n_rows + 8), "rows")
        check_shape(self.cells.shape, ENSFS_GROUP, b.n_planes * b.n_planes + 1, "cells")
        return check_length(self.cells.shape[2], b.chunk, "cells")


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
        BoundTables tables,
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
        cdef subset_chunks* b = &self.chunks
        cdef Py_ssize_t n_chunks = members.shape[0]

        b.n_subsets, b.n_planes, b.n_rows = seeds.shape[0], levels.shape[1] - 2, store.store.n
        b.chunk = chunk_size(b.n_planes)
        b.n_banks = tables.tables.shape[1] // 16
        check_space(b.n_subsets, 1, "seeds")
        check_places(seeds, store.store.n_columns - 1, "seeds")
        if not 1 <= b.n_planes <= MAX_CHUNK_PLANES:
            raise ValueError(f"levels must have 3 to {MAX_CHUNK_PLANES + 2} rows in each chunk")
        if b.n_rows > 255:
            raise ValueError(f"the store must have at most 255 rows; got {b.n_rows}")
        check_length(tables.tables.shape[0], b.n_rows + 1, "tables")
        check_shape(places.shape, 3, b.n_subsets, "places")
        check_shape(columns.shape, 2, store.store.n_columns - 1, "columns")
        check_space(n_chunks, 1, "members")
        check_shape(links.shape, 2, n_chunks, "links")
        check_length(most_excess.shape[0], n_chunks, "most_excess")
        check_shape(members.shape, n_chunks, b.chunk, "members")
        check_shape(bits.shape, n_chunks, b.n_rows + 1, "bits")
        check_length(bits.shape[2], b.n_planes * b.chunk // 64, "words of bits")
        check_length(levels.shape[0], n_chunks, "levels")
        check_length(levels.shape[2], b.chunk, "columns of levels")
        self.keep = (tables, places, columns, links, most_excess, members, bits, levels)
        self.n_chunks = n_chunks
        b.tables, b.saturates = &tables.tables[0, 0], &tables.saturates[0]
        b.units_per_bit, b.most_entropy = tables.units_per_bit, tables.most_entropy
        b.subtract_per_level = tables.subtract_per_level
        b.slack = (b.n_planes + 1) * (b.n_planes + 1) // 2
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
        ChunkStates states,              # OUT
        ChunkWorkspace workspace,        # TEMP
    ):
        """Compare columns with the members before their batch, as far as it is needed."""
        cdef Py_ssize_t k, n = stop - start
        cdef chunk_column[ENSFS_BATCH] c

        self._check(store, batch, limits, states)
        check_range(start, stop, batch.shape[0], "columns of the batch")
        check_range(0, n, ENSFS_BATCH, "columns to look at")
        workspace.check(&self.chunks, n)
        if n == 0:
            return
        with nogil:
            for k in range(n):
                c[k].workspaces = &workspace.cells[0, 0, 0]
                c[k].row_workspace = &workspace.rows[k, 0]
                c[k].limit = limits[start + k]
                states.fill(start + k, &c[k])
            look_ahead(&store.store, &self.chunks, c, &batch[start], n)
            for k in range(n):
                states.n_read[start + k] = c[k].n_read

    def settle(
        self,
        CodeStore store,
        const int64_t[::1] batch,        # IN  columns that were looked at
        const double[::1] limits,        # IN  (batch,)
        ChunkStates states,              # IN/OUT
        ChunkWorkspace workspace,        # TEMP
        uint8_t[::1] met,                # TEMP (subsets,)
        int32_t[::1] subset,             # OUT (p,) subset of each column of the batch, or -1
        double[::1] measure,             # OUT (p,) largest measure with a member of it
        int32_t[::1] member,             # OUT (p,) that member, or -1
    ):
        """Put each column into the subset whose members have the least in common with it, if any.

        Returns the number of pairs that were compared for the batch.
        """
        cdef Py_ssize_t i
        cdef int64_t best, f, n_pairs = 0
        cdef Py_ssize_t p = store.store.n_columns - 1
        cdef chunk_column c

        self._check(store, batch, limits, states)
        workspace.check(&self.chunks, 1)
        check_length(met.shape[0], self.chunks.n_subsets, "met")
        check_length(subset.shape[0], p, "subset")
        check_length(measure.shape[0], p, "measure")
        check_length(member.shape[0], p, "member")
        c.workspaces, c.row_workspace = &workspace.cells[0, 0, 0], &workspace.rows[0, 0]
        with nogil:
            for i in range(batch.shape[0]):
                f = batch[i]
                c.limit = limits[i]
                states.fill(i, &c)
                c.n_read = states.n_read[i]
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

    cdef int _check(
        self, CodeStore store, const int64_t[::1] batch, const double[::1] limits,
        ChunkStates states,
    ) except -1:
        cdef Py_ssize_t n = batch.shape[0]

        check_places(batch, store.store.n_columns - 1, "batch")
        check_length(limits.shape[0], n, "limits")
        check_space(states.largest.shape[0], n, "states")
        check_length(states.largest.shape[1], self.chunks.n_subsets, "subsets of states")
        return check_length(states.tops.shape[1], self.n_chunks, "chunks of states")
