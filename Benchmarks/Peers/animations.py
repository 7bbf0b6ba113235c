"""Makes animated files with Pillow, and composes their frames, timed inside the process.

Answers each line "make<tab>FORMAT<tab>PHOTO<tab>FILE" with the number of bytes of a file of 40
frames, and each line "FILE<tab>COUNT" with the nanoseconds that composing all frames COUNT times
took.
"""

import io
import math
import os
import sys
import time

try:
    from PIL import Image, __version__
except ImportError:
    sys.exit(1)

WIDTH, HEIGHT, COUNT = 320, 240, 40
FILES = {}


def frames(photo):
    """A window that moves over the photo in a circle: every pixel changes with each frame."""
    across, down = photo.width - WIDTH, photo.height - HEIGHT
    for number in range(COUNT):
        angle = 2 * math.pi * number / COUNT
        left = round(across * (1 + math.cos(angle)) / 2)
        top = round(down * (1 + math.sin(angle)) / 2)
        yield photo.crop((left, top, left + WIDTH, top + HEIGHT))


def make(kind, source, path):
    pictures = list(frames(Image.open(source).convert("RGB")))
    if kind == "gif":
        pictures = [picture.quantize(256) for picture in pictures]
    options = {"quality": 80, "method": 2} if kind == "webp" else {}
    pictures[0].save(
        path,
        format="PNG" if kind == "apng" else kind.upper(),
        save_all=True,
        append_images=pictures[1:],
        duration=40,
        loop=0,
        **options,
    )
    return os.path.getsize(path)


def compose(data):
    image = Image.open(io.BytesIO(data))
    for number in range(image.n_frames):
        image.seek(number)
        image.convert("RGBA")


def main():
    for line in sys.stdin:
        words = line.rstrip("\n").split("\t")
        if words == ["version"]:
            print(__version__, flush=True)
        elif words[0] == "make":
            print(make(*words[1:]), flush=True)
        else:
            path, count = words
            if path not in FILES:
                with open(path, "rb") as file:
                    FILES[path] = file.read()
            began = time.perf_counter_ns()
            for _ in range(int(count)):
                compose(FILES[path])
            print(time.perf_counter_ns() - began, flush=True)


main()
