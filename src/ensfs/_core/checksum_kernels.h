/* Weighted sums of words modulo 2**64, once per instruction set. The upper half of a word is folded
   into the lower one first: small whole numbers as floats are all zeros there, and a difference in
   the highest bits alone would vanish in a product with an even difference of weights. */
#define ENSFS_WEIGHTED_SUM(type)                                                                      \
    static uint64_t LV(weighted_##type)(const type *restrict x, int64_t step,                   \
                                        const uint64_t *restrict weights, int64_t n) {          \
        uint64_t sum = 0;                                                                       \
        if (step == 1)                                                                          \
            for (int64_t i = 0; i < n; i++) {                                                   \
                uint64_t v = x[i];                                                              \
                sum += (v ^ (v >> 32)) * weights[i];                                            \
            }                                                                                   \
        else                                                                                    \
            for (int64_t i = 0; i < n; i++) {                                                   \
                uint64_t v = x[i * step];                                                       \
                sum += (v ^ (v >> 32)) * weights[i];                                            \
            }                                                                                   \
        return sum;                                                                             \
    }
ENSFS_WEIGHTED_SUM(uint8_t)
ENSFS_WEIGHTED_SUM(uint16_t)
ENSFS_WEIGHTED_SUM(uint32_t)
ENSFS_WEIGHTED_SUM(uint64_t)
#undef ENSFS_WEIGHTED_SUM
