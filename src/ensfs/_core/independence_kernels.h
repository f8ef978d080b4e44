/* Labels of combinations of columns, once per instruction set. */

/* label * levels + column, in place. */
static void LV(extend_narrow)(int32_t *label, const uint8_t *column, int64_t n, int32_t levels) {
    for (int64_t i = 0; i < n; i++) label[i] = label[i] * levels + column[i];
}
