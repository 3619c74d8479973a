# cython: cdivision=True
# What rows pull their margins by, and how points move: `_pulls.h`, and one row alone.

from libc.math cimport exp, fabs

cdef extern from "pool/alms/_pulls.h" nogil:
    enum: AL_PAST
    const double AL_FAR
    void al_odds(Py_ssize_t n, const double *y, const double *z, double *odds)
    void al_slopes(
        Py_ssize_t wide, const double *y, const double *odds, const double *pull,
        const double *s, Py_ssize_t i, Py_ssize_t j, Py_ssize_t x, const double *gi,
        const double *gj, const double *gx, const double *d, double *h, double *slopes
    )
    void al_add(
        Py_ssize_t wide, const double *a, const double *b, const double *c, double *d
    )
    void al_chord_step(
        Py_ssize_t wide, int turn, const double *ei, const double *ej, double si,
        double sj, double kii, double kij, double kjj, double *p, double *past,
        double *u
    )
    void al_probabilities(Py_ssize_t n, const double *z, double *out)
    double al_loss(
        Py_ssize_t n, const double *y, const double *takes_part, const double *z,
        const double *move, double size, double *each
    )
    void al_pulls(
        Py_ssize_t n, const double *y, const double *takes_part, const double *z,
        double *pull, double *s
    )
    void al_scaled(
        Py_ssize_t n, Py_ssize_t q, const double *A, const double *s, double *scaled
    )


cdef struct Point:
    # which pair it leaves out, or which row, and the rows: positions among those that
    # may be left out, the second -1 if there is none; by how much their margins are
    # off; and whether that is little, or steps do not help
    Py_ssize_t item, i, j
    double off_i, off_j
    bint has_arrived, is_lost


cdef inline double settled(double t, double g) noexcept nogil:
    """Return c = 1 / (1 + exp(u)) where u = t + g c."""
    cdef double low = t, high = t + g, u = t, c, gap, step, last = g
    cdef int turn
    for turn in range(200):
        c = 1 / (1 + exp(u))
        gap = u - t - g * c
        if gap > 0:
            high = u
        else:
            low = u
        step = gap / (1 + g * c * (1 - c))
        if low < u - step < high and 2 * fabs(step) < last:
            u -= step
        else:
            step = (high - low) / 2
            u = low + step
        last = fabs(step)
        if last < 1e-9:
            break
    return 1 / (1 + exp(u))


cdef inline int to_vectors(int n) noexcept:
    """Return the next number that 8 divides."""
    return (n + 7) // 8 * 8
