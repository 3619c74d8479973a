"""Times that can be compared: interleaved calls in one process, BLAS on one thread."""

import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.options import parse
from benchmarks.results import show_table, write_csv
from benchmarks.speed._results import caches, processor, rounded, versions


@dataclass(frozen=True)
class Timing:
    """Seconds per call of one function, one number for each round."""

    seconds: np.ndarray

    @property
    def median(self):
        return float(np.median(self.seconds))

    @property
    def minimum(self):
        return float(self.seconds.min())

    def ratio(self, other):
        """Median over the rounds of this time divided by the other one."""
        return float(np.median(self.seconds / other.seconds))


def interleaved(functions, rounds=9, least=0.01, clock=perf_counter):
    """Call functions in turn, A, B, C, A, B, C, ..., so that all meet the same weather.

    Parameters
    ----------
    functions : dict of callables
        What to time, by name. Each is called once before, to warm up.
    rounds : int
        How often it is each one's turn.
    least : float
        Seconds that a turn should last; quick functions are repeated.
    clock : callable
        Returns seconds; `process_time` those of the processor, of all threads, for
        machines that are busy with other things.

    Returns
    -------
    timings : dict of Timing
        By the same names.
    """
    repeats = {}
    for name, call in functions.items():
        call()
        started = clock()
        call()
        took = max(clock() - started, 1e-9)  # clocks of processors may be coarse
        repeats[name] = max(1, ceil(least / took))
    seconds = {name: np.empty(rounds) for name in functions}
    for turn in range(rounds):
        for name, call in functions.items():
            started = clock()
            for _ in range(repeats[name]):
                call()
            seconds[name][turn] = (clock() - started) / repeats[name]
    return {name: Timing(values) for name, values in seconds.items()}


@dataclass(frozen=True)
class Case:
    """A line of a table: what to time, against which other line, and the target."""

    name: str
    call: Callable
    to: str | None = None
    at_most: float | None = None
    at_least: float | None = None

    @property
    def goal(self):
        """The target, in words."""
        if self.at_most is not None:
            return f"<= {self.at_most:g}"
        return "" if self.at_least is None else f">= {self.at_least:g}"

    def verdict(self, ratio):
        """Return the target and whether the ratio meets it, in words."""
        if not self.goal:
            return ""
        if self.at_most is not None:
            met = ratio <= self.at_most
        else:
            met = ratio >= self.at_least
        return f"{self.goal}  {'met' if met else 'missed'}"


def table(title, cases, rounds):
    """Time cases and print a line for each.

    Parameters
    ----------
    title : str
        Printed above.
    cases : list of Case
        In the order in which they take turns.
    rounds : int
        As for `interleaved`.

    Returns
    -------
    timings : dict of Timing
        By the names of the cases.
    """
    calls = {case.name: case.call for case in cases}
    timings = interleaved(calls, rounds)
    width = max(len(case.name) for case in cases)
    to_width = max(len(case.to or "") for case in cases)
    print(f"\n{title}")
    print(f"  {'':{width}}  {'ms':>9} {'min':>9}   ratio  to {'':{to_width}}  target")
    for case in cases:
        timing = timings[case.name]
        line = f"  {case.name:{width}}  {1e3 * timing.median:9.3f}"
        line += f" {1e3 * timing.minimum:9.3f}"
        if case.to is not None:
            ratio = timing.ratio(timings[case.to])
            line += f" {ratio:7.2f}  {case.to:{to_width + 3}}  {case.verdict(ratio)}"
        print(line.rstrip(), flush=True)
    return timings


def column(cases, timings):
    """Return the cells of a problem, for `side_by_side`.

    Returns
    -------
    cells : dict
        By the name of a case and of the one to which its time is relative: the ratio,
        with the goal in brackets. Milliseconds if it is relative to none.
    """
    cells = {}
    for case in cases:
        timing = timings[case.name]
        if case.to is None:
            cells[case.name, "ms"] = rounded(1e3 * timing.median)
        else:
            ratio = rounded(timing.ratio(timings[case.to]))
            goal = f" ({case.goal})" if case.goal else ""
            cells[case.name, case.to] = ratio + goal
    return cells


def side_by_side(columns, shown=None):
    """Return the header and the lines of a table with a column for each problem.

    Parameters
    ----------
    columns : dict of dicts
        For each problem what `column` returns; further cells may be added. Problems
        may lack some.
    shown : collection of str, optional
        The cases that have a line. By default all.
    """
    names = dict.fromkeys(name for cells in columns.values() for name in cells)
    lines = [
        [*name, *(cells.get(name, "") for cells in columns.values())]
        for name in names
        if shown is None or name[0] in shown
    ]
    return ["what", "to", *columns], lines


def machine():
    """Describe the processor and the libraries in one line."""
    return (
        f"{processor()}, {os.cpu_count()} cores, "
        f"{platform.system()}; {versions()}; BLAS on one thread"
    )


def about(rounds):
    """Return the last columns of a table of times: rounds, machine and its caches."""
    l2, l3 = caches()
    return {"rounds": rounds, "machine": machine(), "l2": l2, "l3": l3}


def write_lines(path, lines, rounds, quick=False):
    """Print rows, dicts of their columns; write them with `about` unless for a toy."""
    show_table(lines[0], [line.values() for line in lines])
    if path and not quick:
        rows = [line | about(rounds) for line in lines]
        write_csv(path, rows[0], [row.values() for row in rows])


def main(doc, benchmark):
    """Run ``benchmark(quick, rounds)`` as a script.

    Parameters
    ----------
    doc : str
        The script's docstring; its first line is printed.
    benchmark : callable
        Prints them.
    """
    args = parse(doc, rounds=9)
    print(machine())
    if args.quick:
        args.rounds = 1
        print("Toy size: the ratios and the verdicts say nothing.")
    with threadpool_limits(1):
        benchmark(args.quick, args.rounds)
