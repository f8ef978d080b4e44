/* Eight doubles that the compiler keeps in registers of whatever width the target has. Sums over
   eight lanes are always folded in the same order, so every width gives the same bits. */
#ifndef ENSFS_VEC8_H
#define ENSFS_VEC8_H

#if defined(__GNUC__) || defined(__clang__)
typedef double vec8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef float vec8f __attribute__((vector_size(32), aligned(4), may_alias));
#define V_ZERO ((vec8){0})
#define V_SET1(s) ((vec8){(s), (s), (s), (s), (s), (s), (s), (s)})
#define V_LOAD_double(p, shift) (*(const vec8 *)(p))
#define V_LOAD_float(p, shift) (__builtin_convertvector(*(const vec8f *)(p), vec8) - V_SET1(shift))
#define V_STORE(p, v) (*(vec8 *)(p) = (v))
#define V_ADD(a, b) ((a) + (b))
#define V_SUB(a, b) ((a) - (b))
#define V_MULADD(acc, a, b) ((acc) = (acc) + (a) * (b))
#define V_LANE(v, i) ((v)[i])
#else
typedef struct { double lane[8]; } vec8;
static vec8 v_set1_(double s) { vec8 r; for (int i = 0; i < 8; i++) r.lane[i] = s; return r; }
static vec8 v_loadd_(const double *p) { vec8 r; for (int i = 0; i < 8; i++) r.lane[i] = p[i]; return r; }
static vec8 v_loadf_(const float *p, double s) {
    vec8 r; for (int i = 0; i < 8; i++) r.lane[i] = (double)p[i] - s; return r;
}
static void v_store_(double *p, vec8 v) { for (int i = 0; i < 8; i++) p[i] = v.lane[i]; }
static vec8 v_add_(vec8 a, vec8 b) { for (int i = 0; i < 8; i++) a.lane[i] += b.lane[i]; return a; }
static vec8 v_sub_(vec8 a, vec8 b) { for (int i = 0; i < 8; i++) a.lane[i] -= b.lane[i]; return a; }
static vec8 v_muladd_(vec8 c, vec8 a, vec8 b) {
    for (int i = 0; i < 8; i++) c.lane[i] = c.lane[i] + a.lane[i] * b.lane[i];
    return c;
}
#define V_ZERO v_set1_(0.0)
#define V_SET1(s) v_set1_(s)
#define V_LOAD_double(p, shift) v_loadd_(p)
#define V_LOAD_float(p, shift) v_loadf_(p, shift)
#define V_STORE(p, v) v_store_(p, v)
#define V_ADD(a, b) v_add_(a, b)
#define V_SUB(a, b) v_sub_(a, b)
#define V_MULADD(acc, a, b) ((acc) = v_muladd_(acc, a, b))
#define V_LANE(v, i) ((v).lane[i])
#endif

#define V_SUM(v) (((V_LANE(v, 0) + V_LANE(v, 1)) + (V_LANE(v, 2) + V_LANE(v, 3))) + \
                  ((V_LANE(v, 4) + V_LANE(v, 5)) + (V_LANE(v, 6) + V_LANE(v, 7))))
#endif
