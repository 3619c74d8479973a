"""The page under load: twenty people label at once, and each answer is timed.

The people are threads of another process, who read a row for half a second on average;
what nobody waits for does not count. A label is timed from the request to its
confirmation, which comes with the next row or, if that has to wait for training,
without it; then the wait for the row is timed, too. At the end every label must be in
the file, and no row may have two.

    python -m benchmarks.speed.page
    python -m benchmarks.speed.page --quick  # seconds: does it run?
"""

import http.client
import json
import multiprocessing
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter, sleep

import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from benchmarks.speed._interleave import main
from sklearn_activelearn import UncertaintySamplingClassifier
from sklearn_activelearn.labeling import LabelingSession

N_PEOPLE = 20
READING = 0.5  # seconds for which a person reads a row, on average


def label_rows(address, n_labels, number):
    """Label rows as one person; return the ids, and the seconds of labels and waits."""
    place, _, token = address.partition("/#token=")
    connection = http.client.HTTPConnection(place.removeprefix("http://"))
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(verb, **body):
        body = json.dumps({**body, "who": f"person {number}"})
        started = perf_counter()
        connection.request("POST", f"/api/{verb}", body, headers)
        response = connection.getresponse()
        found = json.loads(response.read())
        assert response.status == 200, found
        return found, perf_counter() - started

    ids, labels, waits, reader = [], [], [], Random(number)
    view, _ = ask("next")
    for _ in range(n_labels):
        sleep(reader.expovariate(1 / READING))
        ids.append(view["row"]["id"])
        view, took = ask("label", id=ids[-1], label=["no", "yes"][ids[-1] % 2])
        labels.append(took)
        if view.get("waiting"):
            view, took = ask("next", last=view["last"])
            waits.append(took)
    return ids, labels, waits


def label_together(address, n_labels, results):
    """Label rows as all people at once, in a process of their own."""
    with ThreadPoolExecutor(N_PEOPLE) as people:
        each = partial(label_rows, address, n_labels // N_PEOPLE)
        results.put([*people.map(each, range(N_PEOPLE))])


def benchmark(quick, rounds):
    n_rows, n_labels = (1_000, 100) if quick else (20_000, 4_000)
    X, _ = make_classification(n_rows, 50, n_informative=10, random_state=0)
    learner = UncertaintySamplingClassifier(
        LogisticRegression(), n_initial=10, batch_size=20, budget=None, random_state=0
    )
    processes = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "labels.sqlite")
        options = {"ids": list(range(n_rows)), "classes": ["no", "yes"], "ahead": 1}
        with LabelingSession(learner, X, path, **options) as session:
            page = session.serve(open=False, block=False)
            results = processes.Queue()
            arguments = page.address, n_labels, results
            clients = processes.Process(target=label_together, args=arguments)
            started = perf_counter()
            clients.start()
            found = results.get()
            took = perf_counter() - started
            clients.join()
            stored = sum(session.status().by_class.values())
    ids = Counter(id for ids, _, _ in found for id in ids)
    twice = sum(n - 1 for n in ids.values())
    print(f"{N_PEOPLE} people, {n_labels} labels in {took:.0f} s")
    print(f"  stored {stored}, lost {n_labels - stored}, given twice {twice}")
    for name, k in (("a label", 1), ("a row that waits", 2)):
        times = 1e3 * np.array([t for part in found for t in part[k]] or [0.0])
        middle, most = np.percentile(times, (50, 95))
        print(f"  {name}: {len(times)}, median {middle:.0f} ms, 95 % {most:.0f} ms")


if __name__ == "__main__":
    main(__doc__, benchmark)
