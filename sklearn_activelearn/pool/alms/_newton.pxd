# cython: cdivision=True
# What `_leave_two_out` needs of the solver.


cdef class Solver:
    cdef int n, q
    cdef bint free
    cdef double[:, ::1] A, scaled, H
    cdef double[::1] y, takes_part, z, move, pull, s, each, slope, step

    cdef void leave_out(self, const Py_ssize_t[::1] rows, double weight) noexcept nogil
    cdef double objective(
        self, double* w, double* dw, double size, double lam
    ) noexcept nogil
    cdef void evaluate(self, double* w, double lam) noexcept nogil
    cdef int solve(self, double* w, double lam) noexcept nogil
    cdef int descend(self, double* w, double lam) noexcept nogil

