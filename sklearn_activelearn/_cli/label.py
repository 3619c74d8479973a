"""The command ``label``: from a CSV to a session, and to the screen that shows it."""

import importlib.util
import os
import socket
import sys
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from warnings import catch_warnings

from ..labeling import LabelingSession, export
from ..labeling._export import omitted_rows, stored_state
from ..labeling._terminal import check_answers, label_in_terminal
from ..labeling._view import LabelingView, keys_of
from .find import check_find, finding_learner, price_of_session
from .learners import learner_code, parse_learner
from .options import PROGRAM, UsageError
from .tasks import default_learner, read_task

SQLITE = b"SQLite format 3\0"


def run_label(args):
    """Run ``label``: check everything, then open the session and its screen."""
    if args.export and args.out is None:
        return export_labels(args, args.file, partial(export, args.file))
    if args.form and not args.export:
        raise UsageError("--form is for --export")
    refuse_session_file(args)
    check_options(args)
    answers = read_answers(args)
    task = read_rows(args)
    learner = make_learner(args, task)
    with open_port(args) as listener, open_session(args, task, learner) as session:
        try:
            work_on_session(args, session, task, listener, answers)
            if args.find is not None and not args.export:
                print(price_of_session(args, session, task))
        except OSError as error:
            raise UsageError(describe(error, args.out)) from error


def work_on_session(args, session, task, listener, answers):
    """Do with an open session what the options say."""
    if args.rehearse:
        return rehearse(session, task.known)
    teach_known(args, session, task.known)
    if args.export:
        return export_labels(args, args.out, session.export)
    session_view = LabelingView(
        session,
        task.kind,
        folder=args.file.parent.resolve(),
        show_prediction=args.show_prediction,
    )
    try:
        if args.web:
            label_in_browser(session_view, listener)
        else:
            label_in_terminal(session_view, who=args.who, answers=answers)
    except ValueError as error:
        raise UsageError(error) from error
    finally:
        n_labels = sum(session.status().by_class.values())
        print(f"Labels in {args.out}: {n_labels}. The same command resumes.")


def export_labels(args, path, write):
    """Write the labels of a session to a file, and tell which rows have none."""
    try:
        with catch_warnings(action="ignore"):  # what it warns of is printed below
            n_labels = write(args.export, args.form or "wide")
        omitted = omitted_rows(stored_state(path))._asdict()
    except (ValueError, OSError) as error:
        raise UsageError(describe(error, args.file, args.export)) from error
    if args.form == "long":
        print(f"Answers in {args.export}: {n_labels}.")
        return
    print(f"Labels in {args.export}: {n_labels}.")
    if sum(omitted.values()):
        each = ", ".join(f"{n} {what}" for what, n in omitted.items() if n)
        print(f"Rows without a label, which are left out: {each}.")


def refuse_session_file(args):
    """Refuse a session where rows are needed."""
    try:
        with args.file.open("rb") as file:
            is_session = file.read(len(SQLITE)) == SQLITE
    except OSError as error:
        raise UsageError(describe(error, args.file)) from error
    if is_session:
        raise UsageError(
            f"{args.file} holds labels: --export writes them to a file; to go on, "
            "repeat the command that has begun it"
        )


def check_options(args):
    """Refuse what is missing, or does not go together."""
    check_find(args)
    for option, what in (
        ("out", "where are the labels to be kept"),
        ("classes", "which labels are there to choose from"),
    ):
        if getattr(args, option) is None:
            raise UsageError(f"{what}? (--{option})")
    if args.text and args.image:
        raise UsageError("--text or --image: one of them")
    if args.start_with is not None and not args.text:
        raise UsageError("--start-with needs --text: words are compared with texts")
    if args.rehearse and not (args.labelled and args.test_size):
        raise UsageError("--rehearse needs --labelled and --test-size")
    if not args.out.parent.is_dir():
        raise UsageError(f"--out: there is no folder {args.out.parent}")
    if args.votes > 1 and not args.who and not args.web:
        raise UsageError("--votes: whose votes are these? (--who)")
    if args.web and args.answers:
        raise UsageError("--answers is for the terminal, --web for people")
    if args.web and not all(map(importlib.util.find_spec, ("starlette", "uvicorn"))):
        raise UsageError(
            "--web needs starlette and uvicorn: pip install starlette uvicorn"
        )


def read_answers(args):
    """Return the lines of --answers, all of which are answers; None without it."""
    if args.answers is None:
        return None
    try:
        if args.answers == "-":
            lines = sys.stdin.read().splitlines()
        else:
            lines = Path(args.answers).read_text(encoding="utf-8-sig").splitlines()
        check_answers(lines, keys_of(args.classes))
    except (ValueError, OSError) as error:
        raise UsageError(f"--answers: {describe(error, args.answers)}") from error
    return lines


def read_rows(args):
    """Return what there is to label."""
    try:
        task = read_task(
            args.file,
            text=args.text,
            image=args.image,
            id_column=args.id,
            labelled=args.labelled,
            start_with=args.start_with,
        )
    except (ValueError, OSError) as error:
        raise UsageError(describe(error, args.file)) from error
    for row_id, label in task.known.items():
        if label not in args.classes:
            raise UsageError(
                f"--labelled: row {row_id} has the label {label!r}, which is none of "
                f"{', '.join(args.classes)}"
            )
    return task


def make_learner(args, task):
    """Return the learner with the parameters that have options of their own."""
    try:
        learner = parse_learner(args.learner) if args.learner else default_learner()
        if args.find is not None:
            learner = finding_learner(args)
    except ValueError as error:
        raise UsageError(f"--learner: {error}") from error
    settings = {
        "budget": args.budget,
        "batch-size": args.batch_size,
        "start-with": task.start,
    }
    for option, value in settings.items():
        if value is None:
            continue
        name = "initial" if option == "start-with" else option.replace("-", "_")
        if name not in learner.get_params():
            raise UsageError(
                f"--{option}: {learner_code(learner)} has no parameter {name}"
            )
        learner.set_params(**{name: value})
    return learner


def open_port(args):
    """Return the socket of the page, or nothing for the terminal."""
    if not args.web:
        return nullcontext()
    try:
        return socket.create_server(("127.0.0.1", args.port))
    except OSError as error:
        reason = os.strerror(error.errno)
        raise UsageError(f"--port: {args.port}: {reason}") from error


def open_session(args, task, learner):
    """Begin the session, or go on with it."""
    try:
        with printed_warnings():
            return LabelingSession(
                learner,
                task.X,
                args.out,
                items=task.items,
                ids=task.ids,
                classes=args.classes,
                test_size=args.test_size,
                votes=args.votes,
                ahead=1,
                change=args.change,
            )
    except (ValueError, TypeError, OSError) as error:
        message = getattr(error, "command", None) or describe(error, args.out)
        raise UsageError(message) from error


@contextmanager
def printed_warnings():
    """Print warnings as lines of their own, if all goes well."""
    with catch_warnings(record=True, action="always") as notes:
        yield
    for note in notes:
        print(f"{PROGRAM}: warning: {note.message}", file=sys.stderr)


def teach_known(args, session, known):
    """Take the labels that are there already, unless the session has some."""
    try:
        if session.status().n_taught == 0:
            for row_id, label in known.items():
                session.label(row_id, label)
        if args.labels:
            with printed_warnings():
                session.import_labels(args.labels)
    except (ValueError, OSError) as error:
        raise UsageError(describe(error, args.labels or args.out)) from error


def rehearse(session, known):
    """Answer from what is known, and tell how good the model was on the way."""
    while (row_id := session.next()) is not None:
        if row_id in known:
            session.label(row_id, known[row_id])
        else:
            session.skip(row_id)
    points = session.curve()
    for point in points[:: max(1, len(points) // 10)]:
        print(f"{point.n_labels:6} labels: {point.score:.0%} of {point.n_test}")
    print(session.advice())


def label_in_browser(session_view, listener):
    """Serve the page until Ctrl-C."""
    from ..labeling._page import serve  # needs packages that the rest does not

    try:
        serve(session_view, listener, announce)
    except KeyboardInterrupt:
        print()  # after ^C


def announce(address):
    """Tell where the page is."""
    print(f"Open {address}")
    print("It works on this machine only. Several people: add ?who=NAME before the #.")
    print("Ctrl-C ends it; labels are saved as they are given.", flush=True)


def describe(error, path, *others):
    """Return a sentence about a file, or about one of others that it names."""
    reason = getattr(error, "strerror", None) or f"{error}"
    is_named = any(f"{each}" in reason for each in (path, *others))
    return reason if is_named else f"{path}: {reason}"
