"""Writes tests/golden/png: small pictures in every PNG flavour, and index.json with what TensorFlow decodes.

The files are put together here chunk by chunk, because no library writes all flavours (1, 2 and 4 bits, palettes
with transparency, 16 bits, Adam7 interlacing, every row filter). Pillow reads each one back as a check.
"""
import os
import struct
import zlib

import numpy as np

import encode
from main import GOLDEN

GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6
SAMPLES = {GRAY: 1, RGB: 3, PALETTE: 1, GRAY_ALPHA: 2, RGBA: 4}
# Adam7: first column, first row, step of columns, step of rows
PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
COLORS = bytes([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0, 10, 20, 30, 200, 100, 50])


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def pack_row(row, depth):
    """One row of samples as bytes: 16 bits big-endian, or several samples a byte, leftmost first."""
    flat = row.reshape(-1)
    if depth == 16:
        return flat.astype(">u2").tobytes()
    if depth == 8:
        return flat.astype(np.uint8).tobytes()
    per = 8 // depth
    padded = np.concatenate([flat, np.zeros(-len(flat) % per, flat.dtype)]).reshape(-1, per)
    shifts = np.arange(per)[::-1] * depth
    return np.sum(padded.astype(int) << shifts, axis=1).astype(np.uint8).tobytes()


def paeth(a, b, c):
    p = a + b - c
    near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))
    return near[2]


def filtered(kind, row, above, step):
    """A row through PNG filter 0 to 4."""
    out = bytearray([kind])
    for n, x in enumerate(row):
        left = row[n - step] if n >= step else 0
        up = above[n] if above else 0
        corner = above[n - step] if above and n >= step else 0
        guess = (0, left, up, (left + up) // 2, paeth(left, up, corner))[kind]
        out.append((x - guess) & 255)
    return bytes(out)


def image_data(samples, color, depth, filters):
    step = max(1, SAMPLES[color] * depth // 8)
    above, out = None, b""
    for y in range(samples.shape[0]):
        row = pack_row(samples[y], depth)
        out += filtered(filters[y % len(filters)], row, above, step)
        above = row
    return out


def png_bytes(samples, color, depth, interlaced=False, filters=(0,), extra=b""):
    height, width = samples.shape[:2]
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, int(interlaced))
    if interlaced:
        parts = [samples[y::dy, x::dx] for x, y, dx, dy in PASSES]
        data = b"".join(image_data(p, color, depth, filters) for p in parts if p.size)
    else:
        data = image_data(samples, color, depth, filters)
    body = chunk(b"IHDR", header)
    if color == PALETTE:
        body += chunk(b"PLTE", COLORS)
    return b"\x89PNG\r\n\x1a\n" + body + extra + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b"")


def samples(height, width, color, depth, seed):
    top = 6 if color == PALETTE else 2 ** depth
    top = min(top, 2 ** depth)
    return np.random.RandomState(seed).randint(0, top, (height, width, SAMPLES[color]))


def files():
    """name -> bytes of the good files."""
    out = {}
    for n, (name, color, depth, size) in enumerate([
            ("gray8", GRAY, 8, (5, 7)), ("gray1", GRAY, 1, (5, 13)), ("gray2", GRAY, 2, (4, 7)),
            ("gray4", GRAY, 4, (3, 5)),
            ("gray16", GRAY, 16, (4, 5)), ("gray_alpha8", GRAY_ALPHA, 8, (4, 5)),
            ("gray_alpha16", GRAY_ALPHA, 16, (3, 4)),
            ("rgb8", RGB, 8, (5, 4)), ("rgb16", RGB, 16, (3, 4)), ("rgba8", RGBA, 8, (4, 5)),
            ("rgba16", RGBA, 16, (3, 3)),
            ("palette8", PALETTE, 8, (4, 5)), ("palette4", PALETTE, 4, (4, 5)), ("palette2", PALETTE, 2, (3, 5)),
            ("palette1", PALETTE, 1, (3, 9)), ("one_pixel", RGB, 8, (1, 1))]):
        out[name] = png_bytes(samples(*size, color, depth, n), color, depth)
    out["interlaced_rgb8"] = png_bytes(samples(9, 11, RGB, 8, 50), RGB, 8, True)
    out["interlaced_gray1"] = png_bytes(samples(5, 9, GRAY, 1, 51), GRAY, 1, True)
    out["interlaced_rgba16"] = png_bytes(samples(3, 5, RGBA, 16, 52), RGBA, 16, True)
    out["filters_rgb8"] = png_bytes(samples(10, 6, RGB, 8, 53), RGB, 8, filters=(0, 1, 2, 3, 4))
    out["palette_transparent"] = png_bytes(samples(4, 5, PALETTE, 8, 54), PALETTE, 8,
                                           extra=chunk(b"tRNS", bytes([0, 128, 255])))
    out["gray_transparent"] = png_bytes(samples(4, 5, GRAY, 4, 55), GRAY, 4,
                                        extra=chunk(b"tRNS", struct.pack(">H", 3)))
    out["rgb_transparent"] = png_bytes(np.zeros((2, 3, 3), int), RGB, 8,
                                       extra=chunk(b"tRNS", struct.pack(">HHH", 0, 0, 0)))
    out["gamma"] = png_bytes(samples(3, 4, RGB, 8, 56), RGB, 8, extra=chunk(b"gAMA", struct.pack(">I", 45455)))
    return out


def broken(good):
    """name -> bytes that a decoder must refuse."""
    flipped = bytearray(good["rgb8"])
    flipped[-20] ^= 255
    return {
        "bad_empty": b"", "bad_signature": b"not a png file, just text", "bad_truncated": good["rgb8"][:60],
        "bad_header_only": good["rgb8"][:33], "bad_checksum": bytes(flipped),
    }


def decoded(data):
    """What tf.io.decode_png gives for each number of channels and each dtype, or its error."""
    import tensorflow as tf
    from run_case import CODES
    rows = []
    for dtype in (tf.uint8, tf.uint16):
        for channels in (0, 1, 2, 3, 4):
            row = {"channels": channels, "dtype": dtype.name}
            try:
                row["image"] = encode.tensor(tf.io.decode_png(data, channels=channels, dtype=dtype).numpy())
            except tf.errors.OpError as error:
                row["error"] = {"code": CODES[error.error_code]}
            rows.append(row)
    return rows


def check_with_pillow(path):
    from PIL import Image
    with Image.open(path) as image:
        image.load()


def write(names):
    import tensorflow as tf
    folder = os.path.join(GOLDEN, "png")
    os.makedirs(folder, exist_ok=True)
    good = files()
    rows = []
    for name, data in list(good.items()) + list(broken(good).items()):
        path = os.path.join(folder, name + ".png")
        with open(path, "wb") as f:
            f.write(data)
        if name in good:
            check_with_pillow(path)
        rows.append({"file": name + ".png", "decode_png": decoded(data)})
    encode.write_lines(os.path.join(folder, "index.json"), {"tensorflow": tf.__version__}, "files", rows)
    print("golden: %d PNG files" % len(rows))
