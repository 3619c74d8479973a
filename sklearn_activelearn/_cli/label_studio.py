"""Rows from a project of Label Studio, and the loop that orders its tasks."""

from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, urlsplit

from .options import UsageError, blame, require, tell
from .session import (
    add_known_labels,
    is_labelling,
    open_session,
    print_end,
    read_rows,
    write_results,
)

#: Objects whose content is a text.
TEXTS = ("Text", "HyperText", "Paragraphs")


def open_project(args, stack):
    """Set the options that follow from the project, and return the client.

    Parameters
    ----------
    args : Namespace
        The parsed arguments.
    stack : ExitStack
        It closes the client.
    """
    require("--label-studio", "httpx")
    from ..labeling.front_ends._label_studio_api import (
        Client,
        find_control,
        token_reader,
    )

    with errors_of(args):
        client = Client(args.label_studio, token_reader(args.token_file))
        stack.callback(client.close)
        project = client.project(args.project)
        control = find_control(project, args.label_studio_control)
    if control.is_address and control.kind in TEXTS:
        tell(
            f'The texts of {control.field!r} are stored elsewhere (valueType="url"): '
            "the model learns from the words of their addresses. Put the texts into "
            "the tasks, or pass vectors (--features)."
        )
    args.classes, args.several = control.classes, control.is_several
    if not (args.text or args.image):
        args.text = [control.field] if control.kind in TEXTS else []
        args.image = control.field if control.kind == "Image" else None
    return client


def label_tasks(args, client, n_known):
    """Let the project hand out its tasks in the order of a session.

    If tasks are added, a session with more rows takes over.

    Parameters
    ----------
    args : Namespace
        The parsed arguments.
    client : Client
        From `open_project`.
    n_known : int or None
        Number of rows of the session; None if there is none yet.
    """
    tell(f"Reading the tasks of project {args.project} …")
    tasks = new = read_tasks(args, client)
    if not tasks:
        raise UsageError(f"project {args.project} has no tasks: import some first")
    n_known, loop = n_known or len(tasks), None
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        while loop is None or loop.has_new_tasks:
            if len(tasks) > n_known:  # their words change the numbers of all rows
                args.change = [*dict.fromkeys([*args.change, "pool", "features"])]
            table = table_of(args, client, tasks, folder)
            task, learner = read_rows(args, table, folder)
            from threadpoolctl import threadpool_limits  # numpy and scipy are loaded

            with (
                threadpool_limits(1),
                open_session(args, task, learner, args.out) as session,
                blame(args.out),
            ):
                add_known_labels(args, session, task)
                if not is_labelling(args):
                    write_results(args, session, task)
                    return
                if loop is None:
                    loop = make_loop(args, client, session, tasks)
                    stack.callback(loop.restore)  # Ctrl-C while rows are added
                else:
                    loop.continue_with(session, new)
                try:
                    loop.run()
                except KeyboardInterrupt:
                    print()  # after ^C
                n_labels = session.status().labelled
            if loop.has_new_tasks:
                new = read_tasks(args, client, id=tasks[-1]["id"])
                tasks = tasks + new
    print_end(args, n_labels)


def read_tasks(args, client, **limits):
    """Return the tasks of the project with their annotations."""

    def tell_progress(n_tasks):
        if n_tasks % 1_000 == 0:
            tell(f"{n_tasks:,} tasks")

    with errors_of(args):
        return client.all_tasks(args.project, tell_progress, **limits)


def make_loop(args, client, session, tasks):
    """Return the loop, and say where to label."""
    from ..labeling.front_ends._label_studio import LabelStudioLoop

    with errors_of(args):
        loop = LabelStudioLoop(
            session, client, args.project, tasks=tasks,
            control=args.label_studio_control, show_prediction=args.show_prediction,
            keep_order=args.keep_order, ends_with_new_tasks=True,
        )  # fmt: skip
    address = f"{args.label_studio.rstrip('/')}/projects/{args.project}"
    print(f'Open {address} and press "Label All Tasks".')
    print("Ctrl-C ends the loop; labels are saved as they are given.", flush=True)
    return loop


@contextmanager
def errors_of(args):
    """Turn errors of the server into errors that the user can mend."""
    from ..labeling.front_ends._label_studio_api import LabelStudioError

    try:
        with blame(args.label_studio, args.token_file or args.label_studio):
            yield
    except LabelStudioError as error:
        raise UsageError(error) from error


def table_of(args, client, tasks, folder):
    """Return the data of tasks as a table of texts, with images as files in a folder.

    The column of the ids has a name that the data do not have.
    """
    import pandas as pd

    rows = [
        {name: "" if cell is None else f"{cell}" for name, cell in task["data"].items()}
        for task in tasks
    ]
    args.id = "task"
    while any(args.id in row for row in rows):
        args.id += "_"
    for task, row in zip(tasks, rows, strict=True):
        row[args.id] = f"{task['id']}"
        if args.image and row.get(args.image):
            with errors_of(args):
                row[args.image] = download_image(client, row[args.image], task, folder)
    table = pd.DataFrame(rows, dtype=object).fillna("").astype(str)
    table.attrs = {"references": False, "notes": []}
    return table


def download_image(client, address, task, folder):
    """Save the image of a task in the folder, and return the name of the file."""
    parts = urlsplit(address)
    path = parse_qs(parts.query).get("d", [parts.path])[0]  # of a local file
    file = folder / f"{task['id']}{PurePosixPath(path).suffix.lower()}"
    if not file.exists():
        file.write_bytes(client.download(address))
    return file.name
