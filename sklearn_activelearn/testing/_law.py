"""What a law is: a check that names it where it fails."""

from functools import wraps
from warnings import catch_warnings

from ..exceptions import OneClassWarning


def law(sentence, *, streams=True, pools=True):
    """Have a check name its law where it fails, and say for which learners it is."""

    def decorate(check):
        @wraps(check)
        def checked(learner, *data, **how):
            try:
                with catch_warnings(action="ignore", category=OneClassWarning):
                    return check(learner, *data, **how)
            except AssertionError as error:
                raise AssertionError(f"{sentence} {error}") from error
            except Exception as error:
                name = type(error).__name__
                raise AssertionError(f"{sentence} It raised {name}: {error}") from error

        checked.law, checked.streams, checked.pools = sentence, streams, pools
        return checked

    return decorate


def demand(is_so, otherwise):
    """Raise `AssertionError` with a sentence, unless it is so."""
    if not is_so:
        raise AssertionError(otherwise)
