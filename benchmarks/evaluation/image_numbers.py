"""Accuracy on images with the numbers of ``--image``, and with 16 × 16 grey pixels.

Digits of scikit-learn, and tiles of its two pictures: of which picture is a tile?
Logistic regression on random labels; the mean accuracy on all other rows.

    python -m benchmarks.evaluation.image_numbers [--quick]
"""

import numpy as np
from PIL import Image
from sklearn.datasets import load_digits, load_sample_images
from sklearn.linear_model import LogisticRegression

from benchmarks.options import parse
from sklearn_activelearn.preprocessing._encoding import PIXELS, WEIGHTS, encode_image

N_LABELS = (20, 50, 100, 200)
TILE = 32  # pixels along a side


def digit_images():
    """Return the digits, dark on white."""
    X, y = load_digits(return_X_y=True)
    pixels = (255 - X.reshape(-1, 8, 8) * 255 / 16).astype(np.uint8)
    return [Image.fromarray(each) for each in pixels], y


def tiles():
    """Return parts of two photographs, and of which each one is."""
    images, y = [], []
    for label, picture in enumerate(load_sample_images().images):
        height, width, _ = picture.shape
        for top in range(0, height - TILE + 1, TILE):
            for left in range(0, width - TILE + 1, TILE):
                part = picture[top : top + TILE, left : left + TILE]
                images.append(Image.fromarray(part))
                y.append(label)
    return images, np.array(y)


def mean_accuracy(X, y, n_labels, n_draws):
    """Return the mean accuracy with `n_labels` random labels."""
    accuracies = []
    for seed in range(n_draws):
        order = np.random.default_rng(seed).permutation(len(y))
        known, rest = order[:n_labels], order[n_labels:]
        model = LogisticRegression(C=10, max_iter=1_000).fit(X[known], y[known])
        accuracies.append(model.score(X[rest], y[rest]))
    return np.mean(accuracies)


def main():
    """Print a line for each set and kind of numbers."""
    n_draws = 1 if parse(__doc__).quick else 15
    print(f"accuracy with {N_LABELS} labels, mean of {n_draws} draws")
    for name, (images, y) in {"digits": digit_images(), "tiles": tiles()}.items():
        X = np.array([encode_image(image.convert("RGB")) for image in images])
        X -= X.mean(axis=0)
        grey = X[:, : PIXELS[0] * PIXELS[1]] / WEIGHTS[0]
        for what, numbers in (("grey pixels", grey), ("--image", X)):
            scores = [mean_accuracy(numbers, y, n, n_draws) for n in N_LABELS]
            print(f"{name}, {what}:", *(f"{score:.1%}" for score in scores))


if __name__ == "__main__":
    main()
