"""The page under load: twenty people label at once, and each answer is timed.

The people are threads of another process, who read a row for a quarter of a second on
average. A label is timed from the request to its confirmation, which comes with the
next row or, if that has to wait for training, without it; then the wait for the row is
timed, too. At the end every label must be in the file, and no row may have two.

For comparison, one more thread asks for the empty page, which needs no session, and for
what the page shows first and in its lists; the time of a single commit is measured
before. All of this is done twice, with the session on the disk and in shared memory:
the difference is the time for which answers wait until the disk has them.

    python -m benchmarks.speed.page
    python -m benchmarks.speed.page --quick  # seconds: does it run?
"""

import http.client
import json
import multiprocessing
import os
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from threading import Event
from time import perf_counter, process_time, sleep

import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from benchmarks.speed._interleave import main
from sklearn_activelearn import UncertaintySamplingClassifier
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.labeling._schema import put_settings
from sklearn_activelearn.labeling._storage import Storage

N_PEOPLE = 20
READING = 0.25  # seconds for which a person reads a row, on average
VIEWS = "start", "review", "people"


class Caller:
    """A connection to the page, whose requests are timed.

    Parameters
    ----------
    address : str
        Of the page, with the token.
    who : str
        Who sends the requests.
    """

    def __init__(self, address, who):
        place, _, token = address.partition("/#token=")
        self._who = who
        self._connection = http.client.HTTPConnection(place.removeprefix("http://"))
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
        }

    def request(self, method, path, **body):
        """Return what is answered, and the seconds that it took."""
        body = json.dumps({**body, "who": self._who})
        started = perf_counter()
        self._connection.request(method, path, body, self._headers)
        response = self._connection.getresponse()
        found = response.read()
        took = perf_counter() - started
        assert response.status == 200, found
        return found, took

    def ask(self, verb, **body):
        """Return the answer to a verb, and the seconds that it took."""
        found, took = self.request("POST", f"/api/{verb}", **body)
        return json.loads(found), took


def label_rows(address, n_labels, number):
    """Label rows as one person; return the ids, and the seconds of labels and waits."""
    ask, reader = Caller(address, f"person {number}").ask, Random(number)
    ids, labels, waits = [], [], []
    view, _ = ask("next")
    for _ in range(n_labels):
        sleep(reader.expovariate(1 / READING))
        ids.append(view["row"]["id"])
        view, took = ask("label", id=ids[-1], label=["no", "yes"][ids[-1] % 2])
        labels.append(took)
        if view["is_training"]:
            view, took = ask("next", last=view["last"])
            waits.append(took)
    return ids, labels, waits


def watch(address, is_over):
    """Return the seconds of requests for the empty page, and of those for lists."""
    caller, pages, views = Caller(address, "person 0"), [], []
    while not is_over.wait(0.1):
        pages.append(caller.request("GET", "/")[1])
        views += [caller.ask(verb)[1] for verb in VIEWS]
    return pages, views


def label_together(address, n_labels, results):
    """Label rows as all people at once, in a process of their own."""
    with ThreadPoolExecutor(N_PEOPLE + 1) as people:
        is_over = Event()
        watching = people.submit(watch, address, is_over)
        each = partial(label_rows, address, n_labels // N_PEOPLE)
        try:
            found = [*people.map(each, range(N_PEOPLE))]
        finally:
            is_over.set()  # an error ends the process, too
        results.put((found, watching.result()))


def commit_times(folder, n=50):
    """Return the seconds that one small transaction takes, n times."""
    storage, times = Storage(Path(folder, "empty.sqlite")), []
    for number in range(n):
        started = perf_counter()
        with storage.writing() as db:
            put_settings(db, number=number)
        times.append(perf_counter() - started)
    storage.close()
    return times


def label_in(folder, n_rows, n_labels):
    """Let all people label rows of a session in a folder; print the times."""
    X, _ = make_classification(n_rows, 50, n_informative=10, random_state=0)
    learner = UncertaintySamplingClassifier(
        LogisticRegression(), n_initial=10, batch_size=20, budget=None, random_state=0
    )
    processes = multiprocessing.get_context("spawn")
    commits = commit_times(folder)
    path = Path(folder, "labels.sqlite")
    options = {"ids": list(range(n_rows)), "classes": ["no", "yes"], "ahead": 1}
    with LabelingSession(learner, X, path, **options) as session:
        page = session.serve(open=False, block=False)
        results = processes.Queue()
        arguments = page.address, n_labels, results
        clients = processes.Process(target=label_together, args=arguments)
        started, used = perf_counter(), process_time()
        clients.start()
        found, (pages, views) = results.get()
        took, used = perf_counter() - started, process_time() - used
        clients.join()
        stored = sum(session.status().by_class.values())
    ids = Counter(id for ids, _, _ in found for id in ids)
    twice = sum(n - 1 for n in ids.values())
    load, n_cores = os.getloadavg()[0], os.cpu_count()
    print(f"{N_PEOPLE} people, {n_labels} labels in {took:.0f} s, in {folder}")
    print(f"  load {load:.1f} on {n_cores} cores")
    print(f"  stored {stored}, lost {n_labels - stored}, given twice {twice}")
    print(f"  processor time of a label: {1e3 * used / n_labels:.1f} ms")
    for name, times in {
        "a label": [t for _, labels, _ in found for t in labels],
        "a row that waits": [t for _, _, waits in found for t in waits],
        "the empty page": pages,
        "a view": views,
        "a commit, before": commits,
    }.items():
        if not times:
            print(f"  {name}: none")
            continue
        middle, most = 1e3 * np.percentile(times, (50, 95))
        print(f"  {name}: {len(times)}, median {middle:.1f} ms, 95 % {most:.1f} ms")


def benchmark(quick, rounds):
    sizes = (1_000, 100) if quick else (20_000, 4_000)
    memory = ["/dev/shm"] if Path("/dev/shm").is_dir() else []
    for place in (None, *memory):
        with tempfile.TemporaryDirectory(dir=place) as folder:
            label_in(folder, *sizes)


if __name__ == "__main__":
    main(__doc__, benchmark)
