"""Filters of a picture with Pillow, timed inside the process.

The first line is "FILE<tab>WIDTH<tab>HEIGHT" of raw RGB; each other line "FILTER<tab>COUNT" is
answered with the nanoseconds that COUNT runs took.
"""

import sys
import time

try:
    from PIL import Image, ImageEnhance, ImageFilter, ImageOps, __version__
except ImportError:
    sys.exit(1)

SEPIA = (0.3588, 0.7044, 0.1368, 0, 0.2990, 0.5870, 0.1140, 0, 0.2392, 0.4696, 0.0912, 0)
LEVELS = list(range(256))


def point(body):
    table = [min(255, max(0, round(body(level / 255) * 255))) for level in LEVELS] * 3
    return lambda image: image.point(table)


def matrix(values):
    return lambda image: image.convert("RGB", values)


def mixed(share, values):
    identity = (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0)
    return matrix(tuple(i + (v - i) * share for i, v in zip(identity, values)))


def chain(*steps):
    def run(image):
        for step in steps:
            image = step(image)
        return image

    return run


LUMA = (0.2125, 0.7154, 0.0721, 0) * 3
TABLE = ImageFilter.Color3DLUT.generate(64, lambda r, g, b: (b, r, g))
FILTERS = {
    "brightness": point(lambda c: c + 0.1),
    "contrast": point(lambda c: 0.5 + (c - 0.5) * 1.2),
    "gamma": point(lambda c: c**0.8),
    "posterize": lambda image: ImageOps.posterize(image, 3),
    "saturation": lambda image: ImageEnhance.Color(image).enhance(0.5),
    "grayed": lambda image: image.convert("L").convert("RGB"),
    "sepia": matrix(SEPIA),
    "lookup": lambda image: image.filter(TABLE),
    "chain5": chain(
        point(lambda c: c + 0.05),
        point(lambda c: 0.5 + (c - 0.5) * 1.1),
        mixed(0.2, LUMA),
        matrix((1.06, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.94, 0)),
        mixed(0.3, SEPIA),
    ),
    "blur1": lambda image: image.filter(ImageFilter.GaussianBlur(1)),
    "blur10": lambda image: image.filter(ImageFilter.GaussianBlur(10)),
    "blur100": lambda image: image.filter(ImageFilter.GaussianBlur(100)),
    "mean10": lambda image: image.filter(ImageFilter.BoxBlur(10)),
    "sharpen": lambda image: image.filter(
        ImageFilter.Kernel((3, 3), (0, -1, 0, -1, 5, -1, 0, -1, 0), 1)
    ),
}


def main():
    image = None
    for line in sys.stdin:
        words = line.rstrip("\n").split("\t")
        if words[0] == "version":
            print(__version__, flush=True)
        elif len(words) == 3:
            with open(words[0], "rb") as file:
                image = Image.frombytes("RGB", (int(words[1]), int(words[2])), file.read())
            print(" ".join(FILTERS), flush=True)
        else:
            run = FILTERS[words[0]]
            began = time.perf_counter_ns()
            for _ in range(int(words[1])):
                run(image)
            print(time.perf_counter_ns() - began, flush=True)


main()
