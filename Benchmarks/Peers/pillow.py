"""A file to a square thumbnail with Pillow and its plugins, timed inside the process.

Answers each line "FILE<tab>SIDE<tab>COUNT" with the nanoseconds that COUNT thumbnails took, "version"
with Pillow's, and "formats" with the formats that it reads.
"""

import importlib
import io
import sys
import time

try:
    from PIL import Image, ImageOps, __version__
except ImportError:
    sys.exit(1)

for plugin in ("pillow_avif", "pillow_heif", "pillow_jxl"):
    try:
        module = importlib.import_module(plugin)
    except ImportError:
        continue
    if plugin == "pillow_heif":
        module.register_heif_opener()
Image.init()

FILES = {}


def thumbnail(data, side):
    image = Image.open(io.BytesIO(data))
    image.draft("RGB", (2 * side, 2 * side))
    return ImageOps.fit(image, (side, side), Image.LANCZOS).convert("RGBA").tobytes()


def main():
    for line in sys.stdin:
        if line.strip() == "version":
            print(__version__, flush=True)
            continue
        if line.strip() == "formats":
            print(" ".join(sorted(Image.OPEN)).lower(), flush=True)
            continue
        path, side, count = line.split("\t")
        if path not in FILES:
            with open(path, "rb") as file:
                FILES[path] = file.read()
        data, side = FILES[path], int(side)
        began = time.perf_counter_ns()
        for _ in range(int(count)):
            thumbnail(data, side)
        print(time.perf_counter_ns() - began, flush=True)


main()
