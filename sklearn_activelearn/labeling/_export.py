"""Labels to CSV and to Label Studio's JSON, and back."""


def export(path, out):
    """Write the labels of a session to a file, also while it is open elsewhere.

    Neither learner nor pool is needed.

    Parameters
    ----------
    path : str or path
        The session.
    out : str or path
        ``.csv`` (id, label, who, when, probability, origin) or ``.json`` (Label
        Studio's).

    Returns
    -------
    n_labels : int
        How many rows were written.
    """
    raise NotImplementedError
