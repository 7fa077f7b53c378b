"""What the examples share: their folder, and how numbers become a picture (PGM or PPM)."""
import pathlib
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")


def draw(name, *fields):
    """The fields beside each other, black where they are smallest, white where they are largest, red where unknown."""
    low, high = np.nanmin(fields), np.nanmax(fields)
    grey = np.concatenate(fields, axis=1)
    known = np.isfinite(grey)
    bytes_of = np.where(known, np.round((grey - low) / (high - low) * 255), 0).astype(np.uint8)
    pixels = np.stack([np.where(known, bytes_of, 200), bytes_of, bytes_of], axis=-1).astype(np.uint8)
    (FOLDER / name).write_bytes(b"P6 %d %d 255\n" % grey.shape[::-1] + pixels.tobytes())


def terrain(height, width, seed=1):
    """Hills of many sizes, in metres."""
    waves = np.fft.rfftfreq(width), np.fft.fftfreq(height)[:, None]
    size = np.hypot(*waves)
    size[0, 0] = 1
    noise = np.fft.rfft2(np.random.default_rng(seed).normal(size=(height, width)))
    field = np.fft.irfft2(noise * size ** -1.8 * (size < 0.2), (height, width))
    return 800 + 200 * (field - field.mean()) / field.std()
