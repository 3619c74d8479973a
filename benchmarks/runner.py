"""Runs what a file of runs lacks, in parallel, and appends a row for each run."""

from warnings import catch_warnings, simplefilter

from joblib import Parallel, delayed, parallel_config
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from benchmarks.results import append_run, command_of, read_runs


def attempt(key, call, arguments):
    """Return the key of a run and what it found, or the error that ended it as text."""
    with threadpool_limits(1), catch_warnings():
        simplefilter("ignore")
        try:
            return key, call(key, *arguments)
        except Exception as error:
            return key, f"{type(error).__name__}: {error}"


class Runner:
    """Runs of one experiment; a run that is in the file is not run again.

    Parameters
    ----------
    file : path or None
        The file of runs; None: nothing is stored.
    kind : type
        A named tuple: what was run, and what it came to. Its `key` is unique to a run.
    experiment : str
        The module, such as "sets.pools".
    argv : list of str or None
        Its arguments.
    jobs : int
        Number of runs at a time.

    Attributes
    ----------
    done : dict
        The runs by their key.
    """

    def __init__(self, file, kind, experiment, argv=None, jobs=1):
        self.file, self.jobs = file, jobs
        self.command = command_of(experiment, argv)
        self.done = {run.key: run for run in read_runs(file, kind)}

    def run(self, tasks):
        """Run what is missing of some tasks; return these runs in the order they end.

        Parameters
        ----------
        tasks : iterable of (key, callable, *arguments)
            A call gets the key and the arguments, and returns a run or a list of
            runs. BLAS has one thread. Warnings are ignored, and an error is printed.
        """
        missing = (
            delayed(attempt)(key, call, arguments)
            for key, call, *arguments in tasks
            if key not in self.done
        )
        in_parallel = Parallel(
            self.jobs, return_as="generator_unordered", max_nbytes=None
        )
        runs = []
        for key, found in in_parallel(missing):
            if isinstance(found, str):
                print(f"    {', '.join(map(str, key))}: {found}", flush=True)
                continue
            for run in found if isinstance(found, list) else [found]:
                self.done[run.key] = run
                if self.file:
                    append_run(self.file, run, self.command)
                runs.append(run)
        return runs


def ignore_silence():
    """Do not warn of learners that stop asking, which is a result here."""
    simplefilter("ignore", ConvergenceWarning)


def quiet_curve(learner, X, y, *, jobs, **how):
    """Return the label curve of a learner that may stop asking."""
    # not needed where only another program runs
    from sklearn_activelearn.evaluation import label_curve

    with parallel_config("loky", initializer=ignore_silence), catch_warnings():
        ignore_silence()
        return label_curve(learner, X, y, n_jobs=jobs, **how)
