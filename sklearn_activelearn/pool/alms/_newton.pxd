# cython: cdivision=True
# What `_leave_two_out` needs of the solver.

from libc.math cimport exp, fabs


cdef class Solver:
    cdef int n, q
    cdef bint free
    cdef double[:, ::1] A, scaled, H
    cdef double[::1] y, takes_part, z, move, pull, s, slope, step

    cdef void leave_out(self, const Py_ssize_t[::1] rows, double weight) noexcept nogil
    cdef double objective(
        self, double* w, double* dw, double size, double lam
    ) noexcept nogil
    cdef void evaluate(self, double* w, double lam) noexcept nogil
    cdef int solve(self, double* w, double lam) noexcept nogil
    cdef int descend(self, double* w, double lam) noexcept nogil


cdef inline double pull(double y, double z) noexcept nogil:
    """Return minus the slope of log(1 + exp(-y z)) by z."""
    return y / (1 + exp(y * z))


cdef inline double curvature(double z) noexcept nogil:
    """Return the second derivative of log(1 + exp(-z))."""
    cdef double t = exp(-fabs(z))
    return t / ((1 + t) * (1 + t))
