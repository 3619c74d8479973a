"""Times that can be compared: interleaved calls in one process, BLAS on one thread."""

import argparse
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from time import perf_counter

import numpy as np
import scipy
import sklearn
from threadpoolctl import threadpool_limits


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


def interleaved(functions, rounds=9, least=0.01):
    """Call functions in turn, A, B, C, A, B, C, ..., so that all meet the same weather.

    Parameters
    ----------
    functions : dict of callables
        What to time, by name. Each is called once before, to warm up.
    rounds : int
        How often it is each one's turn.
    least : float
        Seconds that a turn should last; quick functions are repeated.

    Returns
    -------
    timings : dict of Timing
        By the same names.
    """
    repeats = {}
    for name, call in functions.items():
        call()
        started = perf_counter()
        call()
        repeats[name] = max(1, ceil(least / (perf_counter() - started)))
    seconds = {name: np.empty(rounds) for name in functions}
    for turn in range(rounds):
        for name, call in functions.items():
            started = perf_counter()
            for _ in range(repeats[name]):
                call()
            seconds[name][turn] = (perf_counter() - started) / repeats[name]
    return {name: Timing(values) for name, values in seconds.items()}


@dataclass(frozen=True)
class Case:
    """A line of a table: what to time, against which other line, and the target."""

    name: str
    call: Callable
    to: str | None = None
    at_most: float | None = None
    at_least: float | None = None

    def verdict(self, ratio):
        """Return the target and whether the ratio meets it, in words."""
        if self.at_most is not None:
            met = ratio <= self.at_most
            return f"<= {self.at_most:g}  {'met' if met else 'missed'}"
        if self.at_least is not None:
            met = ratio >= self.at_least
            return f">= {self.at_least:g}  {'met' if met else 'missed'}"
        return ""


def table(title, cases, rounds, least=0.01, units=1, unit="ms"):
    """Time cases and print a line for each.

    Parameters
    ----------
    title : str
        Printed above.
    cases : list of Case
        In the order in which they take turns.
    rounds, least
        As for `interleaved`.
    units : int
        By what to divide the times of a call, such as the number of its rows.
    unit : {"ms", "us"}
        Of the times in the table.

    Returns
    -------
    timings : dict of Timing
        By the names of the cases.
    """
    timings = interleaved({case.name: case.call for case in cases}, rounds, least)
    factor = {"ms": 1e3, "us": 1e6}[unit] / units
    width = max(len(case.name) for case in cases)
    to_width = max(len(case.to or "") for case in cases)
    print(f"\n{title}")
    print(f"  {'':{width}}  {unit:>9} {'min':>9}   ratio  to {'':{to_width}}  target")
    for case in cases:
        timing = timings[case.name]
        line = f"  {case.name:{width}}  {timing.median * factor:9.3f}"
        line += f" {timing.minimum * factor:9.3f}"
        if case.to is not None:
            ratio = timing.ratio(timings[case.to])
            line += f" {ratio:7.2f}  {case.to:{to_width + 3}}  {case.verdict(ratio)}"
        print(line.rstrip(), flush=True)
    return timings


def machine():
    """Describe the processor and the libraries in one line."""
    processor = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                processor = line.partition(":")[2].strip()
                break
    return (
        f"{processor or platform.machine()}, {os.cpu_count()} cores, "
        f"{platform.system()}; Python {platform.python_version()}, numpy "
        f"{np.__version__}, scipy {scipy.__version__}, scikit-learn "
        f"{sklearn.__version__}; BLAS on one thread"
    )


def main(doc, benchmark):
    """Run ``benchmark(quick, rounds)`` as a script.

    Parameters
    ----------
    doc : str
        The script's docstring, printed above its tables.
    benchmark : callable
        Prints them.
    """
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="toy size, seconds")
    parser.add_argument("--rounds", type=int, default=9)
    args = parser.parse_args()
    print(f"{doc.strip()}\n\n{machine()}")
    if args.quick:
        args.rounds = 1
        print("Toy size: the ratios and the verdicts say nothing.")
    with threadpool_limits(1):
        benchmark(args.quick, args.rounds)
