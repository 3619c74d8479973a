"""
==========================
When labels come back late
==========================

Several people label at the same time, and nobody waits for anybody. A session hands out
one row after the other, takes each label when it comes, and keeps all of it in a file.
"""

# %%
# A desk for several people
# -------------------------
#
# Everybody holds a row. Who is ready answers, and gets the next one: chosen by a model
# that knows all labels but those of the rows that the others hold. With 20 people a
# label comes 19 rows late.

import csv
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from sklearn_activelearn import MinMarginClassifier
from sklearn_activelearn.labeling import LabelingSession, export

X, y = load_digits(return_X_y=True)
pool, X_test, y_test = X[:1200] / 16, X[1200:] / 16, y[1200:]
learner = MinMarginClassifier(budget=60, random_state=0)
folder = TemporaryDirectory()


def label_all(path, n_people):
    """Spend the budget; return labels known and the test error, after each one."""
    how = {"ids": list(range(len(pool))), "classes": list(range(10))}
    with LabelingSession(learner, pool, path, **how) as session:
        people = [f"person {i + 1}" for i in range(n_people)]
        held = {who: session.next(who) for who in people}
        history = []
        while people:
            who = people.pop(0)
            session.label(held[who], int(y[held[who]]), who)
            held[who] = session.next(who)
            if held[who] is not None:
                people.append(who)
            n_labels = session.status().answered
            if n_labels >= 10:
                history.append((n_labels, 1 - session.learner.score(X_test, y_test)))
    return zip(*history, strict=True)


# %%
# What lateness costs
# -------------------
#
# Left, what is paid: from the thirtieth label on, one person, whose labels are never
# late, is some points ahead. Whether five people or twenty do better is chance in a
# single run. Right, what is waited for, if a label takes a minute: an hour alone, three
# minutes with twenty people.

figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 4), sharey=True, layout="constrained"
)
for n_people, color in ((1, "#009E73"), (5, "#0072B2"), (20, "#D55E00")):
    n_labels, errors = label_all(Path(folder.name, f"{n_people}.sqlite"), n_people)
    name = "1 person" if n_people == 1 else f"{n_people} people"
    left.plot(n_labels, errors, color=color, lw=1.8, label=name)
    minutes = [n / n_people for n in n_labels]
    right.plot(minutes, errors, color=color, lw=1.8)
left.set(title="what is paid", xlabel="labels", ylabel="test error", ylim=0)
right.set(title="what is waited for", xlabel="minutes, at one a label", xscale="log")
right.set_xticks([0.5, 1, 3, 10, 60], labels=["0.5", "1", "3", "10", "60"])
right.minorticks_off()
left.legend(frameon=False)
plt.show()

# %%
# What is in the file
# -------------------
#
# Who said what, and when, in the order in which it came. The learner is not needed to
# get it out.

labels = Path(folder.name, "labels.csv")
print(export(Path(folder.name, "5.sqlite"), labels), "labels")
with labels.open(newline="") as file:
    rows = list(csv.DictReader(file))
for row in rows[:6]:
    print(f"row {row['id']:>4} is a {row['label']}, says {row['who']}")
print(dict(Counter(row["who"] for row in rows)))
folder.cleanup()
