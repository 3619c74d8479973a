"""The choice of rows: scores, ties, the first rows, batches and random rows."""

from warnings import catch_warnings, simplefilter

import numpy as np
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances

from ..base._parameters import check_option
from ..base._requests import Purchase
from ..base._scores import WrongForm, check_user_values, of_padded
from ..sources._containers import (
    NO_ROWS,
    as_numbers,
    hash_rows,
    n_rows,
    to_array,
)
from ..sources._source import ROUND, ArraySource, Source
from ._distances import MOST_ROWS, numbers

#: A number that makes the draw of explored rows differ from the other draws of a round.
EXPLORE = 2

#: Purpose of the labels of explored rows, which are drawn at random.
EXPLORED = "explored"

#: Reasons of rows that were drawn at random, bought before a model chooses, similar to
#: many others, or of uncertain class.
RANDOM, FIRST, COVERING, UNCERTAIN = "random", "first", "representative", "uncertain"

#: Values of `initial`.
STARTS = ("random", "herding", "mixed")

#: Values of `batch`.
BATCHES = ("top", "cluster", "herding")

#: Share of random rows in a mixed start.
MIXED = 0.4

#: A batch of n rows is chosen among the BEST_PER_ROW * n rows of the highest utilities.
BEST_PER_ROW = 10

#: Utilities that agree in half of their digits are ties: relative difference.
TIE_TOLERANCE = np.sqrt(np.finfo(np.float64).eps)

#: With fewer labels or scores equal scores are nothing unusual.
FEWEST_LABELS, FEWEST_SCORES = 10, 20

#: Relative difference of scores that differ by rounding only.
ROUNDING = 1e-12

#: Number of gains that are computed at first, and at a time.
FIRST_GAINS, GAINS = 32, 256

#: Upper bounds this close to the highest gain, or above it, are computed exactly.
SLACK = 1e-6


class NothingLearned(ValueError):
    """A model that gives all candidates the same score."""


# Purchases


def random_purchase(rows, probability, purposes=""):
    """Return the purchase of rows that were drawn at random with this probability."""
    n = len(rows)
    probabilities, utilities = np.full(n, probability), np.full(n, np.nan)
    return Purchase(rows, probabilities, utilities, purposes, RANDOM)


def ranked_purchase(rows, utilities, purposes="", reasons=""):
    """Return the purchase of rows that were chosen for their utilities."""
    return Purchase(rows, np.ones(len(rows)), utilities, purposes, reasons)


NO_PURCHASE = ranked_purchase(NO_ROWS, np.empty(0))


def draw_rows(rows, n_wanted, seed, purposes=""):
    """Return the purchase of random rows, all equally likely."""
    chosen = np.random.default_rng(seed).permutation(rows)[:n_wanted]
    return random_purchase(chosen, n_wanted / len(rows), purposes)


def draw_different_rows(keys, rows, n_wanted, seed):
    """Return the purchase of random rows, repeated values last.

    Parameters
    ----------
    keys : ndarray of shape (n_rows,)
        Keys of the rows, equal for equal rows.
    rows : ndarray of int of shape (n_rows,)
        Row numbers.
    n_wanted : int
        Number of rows to draw.
    seed : tuple of int
        Seed of the draws.
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(rows))
    values, value = np.unique(keys, return_inverse=True)
    n_values, n_all = len(values), len(rows)
    if n_values == n_all:
        return random_purchase(rows[order[:n_wanted]], n_wanted / n_all)
    is_again = is_repeated(value[order])
    # one row of each value; the order of the values is independent of their frequencies
    firsts = order[~is_again][rng.permutation(n_values)]
    chosen = np.append(firsts, order[is_again])[:n_wanted]
    n_equal = np.bincount(value)[value[chosen]]
    # probabilities of the first row of a value, and of another row with the value
    p_first = min(n_wanted / n_values, 1.0)
    p_other = max(n_wanted - n_values, 0) / (n_all - n_values)
    probability = p_first / n_equal + (1 - 1 / n_equal) * p_other
    return random_purchase(rows[chosen], probability)


def draw_positions(share, n, rng):
    """Draw evenly spread positions, a share of n.

    For every k, k * share of the first k positions are drawn, rounded down or up.

    Parameters
    ----------
    share : float in [0, 1]
        Share of the positions.
    n : int
        Number of positions.
    rng : Generator
        Draws one number.

    Returns
    -------
    is_drawn : ndarray of bool of shape (n,)
    """
    return np.diff(np.floor(share * np.arange(n + 1) + rng.random())) > 0


def explored_share(explore, initial=None):
    """Return the share of a batch that is drawn at random instead of by a rule.

    Parameters
    ----------
    explore : float
        Parameter of the learner.
    initial : str, callable, rows or None
        Value of `initial` that chooses the other rows; None: a model chooses them.
    """
    if not isinstance(initial, str):
        return explore
    # a random start is random anyway
    shares = {"random": 0.0, "mixed": max(explore, MIXED)}
    return shares.get(initial, explore)


def draw_explored(share, rows, n_batch, n_wanted, seed):
    """Draw the random rows of a batch.

    Parameters
    ----------
    share : float in (0, 1]
        Share of random rows in the batch.
    rows : ndarray of int of shape (n_rows,)
        Row numbers that may be bought.
    n_batch : int
        Number of rows in the whole batch.
    n_wanted : int
        Number of rows that are bought: the batch is cut after this number.
    seed : tuple of int
        Seed of this round.

    Returns
    -------
    is_random : ndarray of bool of shape (n_wanted,)
        The positions of random rows among the rows that are bought.
    purchase : Purchase
        The random rows of the whole batch. Each has the same probability.
    """
    rng = np.random.default_rng((*seed, EXPLORE))
    is_random = draw_positions(share, n_batch, rng)
    chosen = rng.choice(len(rows), np.count_nonzero(is_random), replace=False)
    purchase = random_purchase(rows[chosen], share * n_wanted / len(rows), EXPLORED)
    return is_random[:n_wanted], purchase


def merge_purchases(is_first, first, second):
    """Merge two purchases into one.

    Parameters
    ----------
    is_first : ndarray of bool of shape (n_rows,)
        True at positions that are filled from `first`, False from `second`.
    first, second : Purchase
        The parts. Rows of `first` for which there is no position are left out.
    """
    n_first = np.count_nonzero(is_first)
    if not n_first:
        return second
    columns, memory = [], second.memory or first.memory
    for one, other in zip(first[:-1], second[:-1], strict=True):
        one = np.broadcast_to(one, len(first.rows))[:n_first]
        other = np.broadcast_to(other, len(second.rows))
        column = np.empty(len(is_first), np.result_type(one, other))
        column[is_first], column[~is_first] = one, other
        columns.append(column)
    return Purchase(*columns, memory)


# Scores


def answers_of_blocks(function, X, n_jobs=None):
    """Return an iterable of ``function(block)`` for the blocks of rows, in order.

    Blocks are computed in threads, or where the blocks of a source are stored.
    """
    if isinstance(X, Source):
        return X.map(function, n_jobs)
    if n_rows(X) <= ROUND:  # the smallest block
        return [function(X)]
    return ArraySource(X).map(function, n_jobs)


def map_blocks(function, X, n_jobs=None):
    """Return ``function(X)``, one answer a row, computed block by block."""
    return np.concatenate([*answers_of_blocks(function, X, n_jobs)])


def score_block(utility, is_checked, X):
    # assume_finite=True: scikit-learn does not look for NaN again
    with config_context(assume_finite=is_checked or None):
        values = np.asarray(utility(X))
    if values.shape != (n_rows(X),):
        name = getattr(utility, "func", utility).__qualname__  # of a partial, too
        raise WrongForm(
            f"{name} must return one number for each of {n_rows(X)} rows, got an array "
            f"of shape {values.shape}."
        )
    return values


def check_scores(scores, rows, model):
    """Return the scores of these rows in double precision, if all are finite."""
    scores = np.asarray(scores, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        is_finite = np.isfinite(scores.sum())
    if not is_finite and not np.isfinite(scores).all():
        row = rows[np.argmin(np.isfinite(scores))]
        raise ValueError(f"{model} gives row {row} a score that is not finite.")
    return scores


def check_distinguishes(round, scores):
    """Raise `NothingLearned` if a model has the same answer for all rows.

    Equal scores alone are no reason: a model may be as certain of each row, and a
    committee may agree, although their answers differ.

    Parameters
    ----------
    round : Round
        The model, and the labelled rows of two classes on which it was trained.
    scores : ndarray of shape (n_candidates,)
        Finite scores of the candidates.
    """
    if np.ptp(scores) > ROUNDING * abs(scores[0]):
        return
    model, labelled, n = round.trained.model, round.known.labelled, len(scores)
    if len(labelled) < FEWEST_LABELS or n < FEWEST_SCORES:
        return
    methods = ("predict_proba", "decision_function", "predict")
    method = next(name for name in methods if hasattr(model, name))
    answers = getattr(model, method)(labelled.rows)
    if isinstance(answers, list):  # the probabilities of each label
        answers = np.column_stack(answers)
    answers = np.asarray(answers)
    if answers.dtype.kind == "f":
        is_same = np.ptp(answers, axis=0) <= ROUNDING * np.abs(answers).max(axis=0)
    else:
        is_same = answers == answers[:1]
    if np.all(is_same):
        raise NothingLearned(f"all {n} rows")


# Ranking and ties


def find_best(utility, n_wanted, seed):
    """Return the positions of the highest utilities, best first.

    Ties are broken at random; their order does not depend on `n_wanted`. Utilities
    of equal rows may differ in their last bits, which depend on the position of the
    rows in X. Therefore utilities that agree in half of their digits are ties.
    """
    largest = max(utility.max(), -utility.min())
    last = (
        np.partition(utility, -n_wanted)[-n_wanted] if n_wanted > 1 else utility.max()
    )
    near = np.flatnonzero(utility >= last - TIE_TOLERANCE * largest)
    if len(near) == 1:  # the usual case, without the price of a median
        return near
    unit = unit_of(utility)
    near = near[utility[near] >= last - unit]
    loss = -np.round(utility[near] / unit)
    order = np.argsort(loss, kind="stable")
    # the k-th random number breaks ties of the k-th best row: a larger n_wanted adds
    # numbers at the end, and leaves the order of the first rows as it is
    ties = np.random.default_rng(seed).random(len(near))
    return near[order[np.lexsort((ties, loss[order]))][:n_wanted]]


def find_best_different(utility, n_wanted, seed, traits):
    """Return the positions of the highest utilities, rows that repeat a trait last.

    Parameters
    ----------
    utility : ndarray of shape (n_rows,)
        Higher is better.
    n_wanted : int
        Number of positions.
    seed : tuple of int
        Breaks ties.
    traits : list of callable
        ``trait(positions)`` returns values that rows may have in common, of shape
        (n_positions,) or (n_positions, n). Rows that repeat most traits come last.
    """
    if n_wanted == 1:
        return find_best(utility, 1, seed)
    n_considered = n_wanted
    while True:
        n_considered = min(4 * n_considered, len(utility))
        order = find_best(utility, n_considered, seed)
        n_repeated = sum(is_repeated(trait(order)).astype(int) for trait in traits)
        is_done = np.count_nonzero(n_repeated == 0) >= n_wanted
        if is_done or n_considered == len(utility):
            return order[np.argsort(n_repeated, kind="stable")[:n_wanted]]


def unit_of(values):
    """Return the largest difference between two values that are ties.

    It is relative to the median size: an outlier must not make all other values ties.
    """
    sizes = np.abs(values)
    return TIE_TOLERANCE * (np.median(sizes) or sizes.max()) or 1.0


def is_repeated(values):
    """Return for each value whether it occurs before."""
    _, first = np.unique(values, axis=0, return_index=True)
    out = np.ones(len(values), dtype=bool)
    out[first] = False
    return out


class DistinctFirst:
    """Rows that are chosen one after another, repeated values last.

    Parameters
    ----------
    keys : ndarray of shape (n_rows,)
        Keys of the rows, equal for equal rows.
    """

    def __init__(self, keys):
        self.keys = keys
        self.is_left, self.is_new = np.ones((2, len(keys)), dtype=bool)

    @property
    def open(self):
        """Positions of the rows from which the next one is chosen."""
        return np.flatnonzero(self.is_new if self.is_new.any() else self.is_left)

    def keep(self, positions):
        """Keep only these rows."""
        others = np.delete(np.arange(len(self.keys)), positions)
        self.is_left[others] = self.is_new[others] = False

    def choose(self, k):
        """Take the row at this position."""
        self.is_left[k] = False
        self.is_new[self.keys == self.keys[k]] = False


# The first rows


def is_rows(initial):
    """Return True for rows, in a container that a pool may have."""
    return not isinstance(initial, type) and (
        hasattr(initial, "shape") or isinstance(initial, list | tuple)
    )


def check_initial(initial, embedding):
    """Raise unless `initial` is a name, a function or rows."""
    if isinstance(initial, str):
        check_option(initial, "initial", STARTS)
    elif is_rows(initial):
        if n_rows(initial) == 0:
            raise ValueError("initial has no rows: at least one is needed.")
        if embedding is None:
            numbers_of_initial(initial)
    elif isinstance(initial, type) or not callable(initial):
        raise TypeError(
            f"initial must be one of {sorted(STARTS)}, a function of rows, or rows to "
            f"be similar to, got {initial!r}."
        )


def numbers_of_initial(initial):
    """Return the rows of `initial` as numbers, or refuse them."""
    found = as_numbers(initial)
    if found is not None and len(getattr(initial, "shape", np.shape(initial))) < 2:
        raise ValueError("initial must be rows, got one row. Pass [x] in place of x.")
    if found is None or not np.isfinite(found.data if issparse(found) else found).all():
        raise ValueError(
            "initial must be rows of finite numbers. For other rows, pass an embedding "
            "that turns them into numbers."
        )
    if not (found != 0).sum(axis=1).all():
        raise ValueError("initial has a row of zeros, which is similar to no other.")
    return found.astype(np.float64)


def check_initial_columns(initial, X, names):
    """Refuse rows of `initial` whose columns differ from the columns of a pool."""
    width, shape = numbers_of_initial(initial).shape[1], getattr(X, "shape", ())
    if len(shape) > 1 and np.prod(shape[1:]) != width:
        raise ValueError(
            f"Rows of initial have {width} numbers, rows of X {np.prod(shape[1:])}."
        )
    own = getattr(initial, "columns", None)
    if own is not None and names is not None and [*own] != [*names]:
        raise ValueError("initial has other columns than X, or in another order.")


def score_by_initial(initial, X):
    """Return the score by which a function or rows order the first rows.

    Parameters
    ----------
    initial : callable or rows
        Scores rows; or rows to be similar to.
    X : rows
        A block of the pool.
    """
    if not is_rows(initial):
        return check_user_values("initial", initial(X), n_rows(X))
    anchors = numbers_of_initial(initial)
    return of_padded(lambda rows: nearest_cosine(numbers(rows), anchors), X)


def score_by_anchors(to_points, anchors, X):
    """Return the cosine between each row and the most similar anchor.

    Parameters
    ----------
    to_points : callable
        Makes points of rows.
    anchors : {ndarray, CSR array} of shape (n_anchors, n_dimensions)
        Points.
    X : rows
        A block of the pool.
    """
    return nearest_cosine(to_points(X), anchors)


def nearest_cosine(points, anchors):
    """Return the cosine between each point and the most similar anchor."""
    return cosine_similarity(points, anchors).max(axis=1)


# Batches


def choose_batch(round, utility, batch="top", like=None):
    """Choose rows that have high utilities, repeated values last.

    Parameters
    ----------
    round : Round
        The candidates and the number of rows wanted, with points unless
        ``batch="top"``.
    utility : ndarray of shape (n_candidates,)
        Higher is better.
    batch : {"top", "cluster", "herding"}
        As for the learners.
    like : ndarray of shape (n_candidates, n), optional
        Values by which the learner tells rows apart, such as scores. Of rows with equal
        values, all but one come last.
    """
    rows, n_wanted, seed = round.candidates, round.n_wanted, round.seed
    traits = [lambda some: hash_rows(round.X, rows[some])]
    if like is not None:
        traits.append(like.__getitem__)
    n_batch = min(round.n_batch, len(utility))
    if n_batch == 1 or batch == "top":
        chosen = find_best_different(utility, n_wanted, seed, traits)
    else:  # the whole batch, then its first rows: cut short, it begins alike
        n_best = min(BEST_PER_ROW * n_batch, len(rows))
        chosen = find_best_different(utility, n_best, seed, traits)
        spread = spread_by_herding if batch == "herding" else spread_by_clusters
        chosen = chosen[spread(round.points, rows[chosen], n_batch, seed)[:n_wanted]]
    return ranked_purchase(rows[chosen], utility[chosen])


def spread_by_clusters(points, rows, n_wanted, seed):
    """Return the positions of the first row of each k-means cluster."""
    from sklearn.cluster import KMeans  # slow to import

    some = points.rows[rows]
    # dense: k-means centres dense rows only, and with ties the last bits decide
    some = to_array(some[:, np.union1d(0, some.nonzero()[1])])
    n_clusters = min(n_wanted, len(np.unique(hash_rows(some))))
    number = int(np.random.SeedSequence(seed).generate_state(1)[0])
    means = KMeans(n_clusters, n_init=1, random_state=number)
    with catch_warnings():
        simplefilter("ignore", ConvergenceWarning)  # fewer clusters will do
        _, first = np.unique(means.fit_predict(some), return_index=True)
    first = np.sort(first)
    others = np.delete(np.arange(len(rows)), first)
    return np.append(first, others)[:n_wanted]


def spread_by_herding(points, rows, n_wanted, seed):
    """Return the positions of rows that cover the others best, one after another."""
    some = points.rows[rows]
    distances = euclidean_distances(some, some[:MOST_ROWS], squared=True)
    similarity = np.exp(-distances / points.typical)
    nothing, ones = np.zeros(distances.shape[1]), np.ones(distances.shape[1])
    keys = points.keys[rows]
    return maximise_coverage(similarity, ones, nothing, keys, n_wanted, seed)[0]


def choose_covering(coverage, round, weights=None, n_candidates=MOST_ROWS):
    """Choose rows, one after another, that raise the coverage most.

    Parameters
    ----------
    coverage : Coverage
        The similarity of rows, and how well the known rows cover the pool.
    round : Round
        The candidates and the number of rows wanted; its seed breaks ties, and draws
        the rows to choose among.
    weights : ndarray of shape (n_reference,), optional
        Weight of each reference row; None: all weigh the same.
    n_candidates : int
        Number of random rows to choose among, at least the number of rows wanted;
        different ones first.
    """
    rows, seed = round.rows, round.seed
    if len(rows) > n_candidates:
        drawn = np.random.default_rng(seed).permutation(rows)
        is_again = is_repeated(coverage.space.points.keys[drawn])
        drawn = drawn[np.argsort(is_again, kind="stable")]
        rows = np.sort(drawn[:n_candidates])
    similarity, covered = coverage.similarity(rows), coverage.covered()
    weights = np.ones(len(covered)) if weights is None else weights
    keys = coverage.space.points.keys[rows]
    chosen, gains = maximise_coverage(
        similarity, weights, covered, keys, round.n_wanted, seed
    )
    return ranked_purchase(rows[chosen], gains)


def maximise_coverage(similarity, weights, covered, keys, n_wanted, seed):
    """Choose rows, one after another, by the gain in weighted mean coverage.

    Gains never grow, so the gains of the step before are upper bounds, and few are
    computed again.

    Parameters
    ----------
    similarity : ndarray of shape (n_rows, n_reference)
        Similarity between the rows and the reference rows.
    weights : ndarray of shape (n_reference,)
        Weight of each reference row.
    covered : ndarray of shape (n_reference,)
        How well each reference row is covered already.
    keys : ndarray of uint64 of shape (n_rows,)
        Keys of the rows; repeated keys come last.
    n_wanted : int
        Number of rows to choose.
    seed : tuple of int
        Breaks ties.

    Returns
    -------
    chosen : ndarray of int of shape (n_wanted,)
        Positions.
    gains : ndarray of shape (n_wanted,)
        Gain of each.
    """
    weights = weights / len(covered)
    bounds = np.full(len(keys), np.inf)
    apart, chosen, gains = DistinctFirst(keys), [], []
    for step in range(n_wanted):
        open_ = apart.open
        bounds[open_] = tighten_bounds(
            bounds[open_], similarity, open_, weights, covered
        )
        (first,) = find_best(bounds[open_], 1, (*seed, step))
        k = open_[first]
        chosen.append(k)
        gains.append(bounds[k])
        covered = np.maximum(covered, similarity[k])
        apart.choose(k)
    return np.array(chosen), np.array(gains)


def tighten_bounds(bounds, similarity, rows, weights, covered):
    """Return upper bounds of gains; the highest of them are the gains themselves."""
    bounds, is_loose = bounds.copy(), np.ones(len(rows), dtype=bool)
    due = np.argsort(-bounds, kind="stable")[:FIRST_GAINS]
    while len(due):
        for part in np.array_split(due, -(-len(due) // GAINS)):
            gain = np.maximum(similarity[rows[part]] - covered, 0)
            bounds[part] = gain @ weights
        is_loose[due] = False
        best = bounds[~is_loose].max()
        (due,) = np.nonzero(is_loose & (bounds > (1 - SLACK) * best))
    return bounds


def choose_without_copies(space, rows, n_wanted, n_reference):
    """Return the positions of rows in their order, near-copies of another one last.

    Parameters
    ----------
    space : Space
        The pool and its known rows.
    rows : ndarray of int of shape (n_rows,)
        Numbers of pool rows, the preferred ones first.
    n_wanted : int
        Number of positions.
    n_reference : int
        Number of reference rows, which tell near-copies from neighbours.
    """
    points, known = space.points.rows[rows], space.all_known
    close = space.points.copy_radii(rows, n_reference) ** 2
    is_copy = np.zeros(len(rows), dtype=bool)
    if known.shape[0]:
        nearest = euclidean_distances(points, known, squared=True).min(axis=1)
        is_copy = nearest < close
    chosen = []
    for k in range(len(rows)):
        if len(chosen) == n_wanted:
            break
        if not is_copy[k]:
            chosen.append(k)
            distances = euclidean_distances(points, points[[k]], squared=True)
            is_copy |= distances[:, 0] < close
    others = np.delete(np.arange(len(rows)), chosen)
    return np.append(chosen, others)[:n_wanted].astype(int)
