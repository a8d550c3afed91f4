# SPDX-License-Identifier: Apache-2.0
"""Two pictures for scripts/demo, as SVG files that need nothing but numpy: a spectrogram is an image
of PNG inside the SVG file."""
import base64
import struct
import zlib

import numpy as np

WINDOW, HOP, HIGHEST, RANGE_DB = 1024, 128, 6000, 80
# Colours from quiet to loud, between which others are interpolated.
COLOURS = np.array([(10, 10, 30), (60, 25, 110), (165, 45, 105), (240, 120, 50), (255, 245, 170)])


def decibels(x):
    """Power of each window of a signal at each frequency, below the loudest possible sine."""
    n = max(1, (len(x) - WINDOW) // HOP)
    windows = np.lib.stride_tricks.sliding_window_view(x / 32768, WINDOW)[::HOP][:n]
    shape = np.hanning(WINDOW)
    spectrum = np.abs(np.fft.rfft(windows * shape, axis=1)) / (shape.sum() / 2)
    return 20 * np.log10(np.maximum(spectrum, 1e-9)).T[::-1]  # high frequencies on top


def png(levels):
    """A PNG image, as a URL, of numbers from 0 to 1."""
    at = np.clip(levels, 0, 1) * (len(COLOURS) - 1)
    low = np.minimum(at.astype(int), len(COLOURS) - 2)
    part = (at - low)[..., None]
    pixels = (COLOURS[low] * (1 - part) + COLOURS[low + 1] * part).astype(np.uint8)
    height, width, _ = pixels.shape
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    file = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))
    return "data:image/png;base64," + base64.b64encode(file).decode()


def text(x, y, words, anchor="middle", style=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {style}>{words}</text>'


def save(path, width, height, title, parts):
    """On a background of its own, which can be read on light and on dark pages."""
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13" fill="#1f2328">\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n'
        + "\n".join([text(20, 30, title, "start", 'font-size="17" font-weight="bold"'), *parts, "</svg>\n"]))


def spectrograms(path, title, rate, band, signals):
    """Spectrograms of {name: samples of 16 bits}, one below the other, in the same colours."""
    left, width, height, apart = 70, 780, 190, 245
    rows = HIGHEST * WINDOW // rate
    powers = {name: decibels(x)[-rows - 1:] for name, x in signals.items()}
    loudest = max(power.max() for power in powers.values())
    parts = []
    for i, (name, power) in enumerate(powers.items()):
        top = 75 + i * apart
        parts += [text(left, top - 9, name, "start"),
                  f'<image x="{left}" y="{top}" width="{width}" height="{height}" preserveAspectRatio="none" '
                  f'href="{png(1 + (power - loudest) / RANGE_DB)}"/>']
        for hertz in range(0, HIGHEST + 1, 1000):
            y = top + height * (1 - hertz / HIGHEST)
            parts += [text(left - 8, y + 4.5, f"{hertz / 1000:g}", "end")]
        for hertz in band:
            y = top + height * (1 - hertz / HIGHEST)
            parts += [f'<path d="M{left} {y:.1f}h{width}" stroke="#ffffff" stroke-opacity="0.7" '
                      'stroke-dasharray="5 5"/>']
        length = len(signals[name]) / rate
        for step in range(int(4 * length) + 1):
            parts += [text(left + width * step / 4 / length, top + height + 18, f"{step / 4:g}")]
        parts += [text(18, top + height / 2, "kHz")]
    parts += [text(left + width / 2, 75 + apart + height + 36, "seconds")]
    save(path, left + width + 30, 75 + apart + height + 50, title, parts)


def histogram(path, title, step, counts):
    """The share of each level; level i > 0 holds `step` decibels, the last one the loudest."""
    left, top, width, height = 60, 60, 780, 300
    shares = counts / counts.sum()
    tick = next(tick for tick in (0.01, 0.02, 0.05, 0.1, 0.2, 1) if shares.max() / tick <= 6)
    highest = tick * np.ceil(shares.max() / tick)
    bar = width / len(counts)
    parts = []
    for i in range(round(highest / tick) + 1):
        y = top + height * (1 - i * tick / highest)
        parts += [f'<path d="M{left} {y:.1f}h{width}" stroke="#d1d9e0"/>',
                  text(left - 8, y + 4.5, f"{100 * i * tick:.0f} %", "end")]
    for i, share in enumerate(shares):
        tall = height * share / highest
        x = left + i * bar
        low = (i - len(counts)) * step
        parts += [f'<rect x="{x + 2:.1f}" y="{top + height - tall:.1f}" width="{bar - 4:.1f}" '
                  f'height="{tall:.1f}" fill="#0969da"><title>{share:.2%}</title></rect>',
                  text(x + bar / 2, top + height + 18, f"{low}" if i else "less")]
    parts += [text(left + width / 2, top + height + 40,
                   f"dB relative to full scale; a bar holds {step} dB, from its number up")]
    save(path, left + width + 30, top + height + 55, title, parts)
