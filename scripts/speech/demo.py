# SPDX-License-Identifier: Apache-2.0
"""Processes the recordings of alsa-utils for scripts/demo.

    demo.py GPUPRIM FOLDER

One recording goes through the gpuprim program, which compares its results with the plain C
reference. The others go through the Python package and through numpy: their results must agree, and
both are timed, from arrays to arrays of the same types. FOLDER gets the filtered recordings and two pictures.
"""
import os
import pathlib
import subprocess
import sys
import time
import wave

import gpuprim
import numpy as np
import pictures

RECORDINGS = pathlib.Path("/usr/share/sounds/alsa")
RATE, BAND, TAPS, STEP_DB, LEVELS = 48000, (300, 3400), 1001, 3, 21
PROGRAM, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])


def telephone():
    """A band-pass: the difference of two windowed sinc low-passes."""
    k = np.arange(TAPS) - TAPS // 2
    low, high = (edge / RATE for edge in BAND)
    return ((2 * high * np.sinc(2 * high * k) - 2 * low * np.sinc(2 * low * k)) *
            np.blackman(TAPS)).astype(np.float32)


def loudness():
    """Thresholds on both sides of silence, and a map that gives both sides the same level. Level 0 is
    the quietest; each of the others holds STEP_DB decibels below full scale."""
    steps = np.rint(32768 * 10 ** (np.arange(1 - LEVELS, 0) * STEP_DB / 20)).astype(np.int16)
    # A sample of -t is as loud as one of t.
    levels = abs(np.arange(2 * LEVELS - 1) - LEVELS + 1)
    return np.concatenate([1 - steps[::-1], steps]), levels.astype(np.uint8)


def read(path):
    with wave.open(str(path)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (RATE, 1, 2), path
        return np.frombuffer(file.readframes(file.getnframes()), "<i2")


def write(path, samples):
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", None))
        file.writeframes(samples.astype("<i2").tobytes())


def agree(statement, what):
    if not statement:
        sys.exit(f"{what}: the results differ")


def check_one(path):
    """The program on one recording, with --check."""
    np.save(FOLDER / "telephone.npy", telephone())
    for name, array in zip(("thresholds", "levels"), loudness()):
        np.save(FOLDER / f"{name}.npy", array)
    print(f"\n{path.name}, compared with the plain C reference (--check):")
    for words in (["reduce", "statistics", path],
                  ["convolve1d", path, "--taps", FOLDER / "telephone.npy", "-o", FOLDER / path.name],
                  ["classify", path, "--thresholds", FOLDER / "thresholds.npy",
                   "--map", FOLDER / "levels.npy"]):
        print("  $ gpuprim", *words, "--check", flush=True)
        done = subprocess.run([PROGRAM, *words, "--check"], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        if words[0] == "reduce":
            print("    count, lowest, highest, mean, variance:", done.stdout.strip())
        print("   ", done.stderr.strip())


def seconds(function):
    """The median time of a call that has run before. What takes long is measured once, other calls at
    least three times."""
    times = []
    while len(times) < 3 or sum(times) < 0.03:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
        if times[0] > 0.1:
            break
    return sorted(times)[len(times) // 2]


class Work:
    """The same work by gpuprim and by numpy, from samples of 16 bits to results of the same types."""

    def __init__(self):
        self.taps, (self.thresholds, self.map) = telephone(), loudness()
        self.filter = gpuprim.Filter(self.taps, dtype=np.int16, out_dtype=np.int16)
        self.levels = gpuprim.Classifier.thresholds(self.thresholds, map=self.map)

    def statistics(self, x):
        return gpuprim.statistics(x)[1:]

    def numpy_statistics(self, x):
        return x.min(), x.max(), x.mean(), x.var()

    def filtered(self, x):
        return self.filter(x)

    def numpy_convolve(self, x):
        return self.rounded(np.convolve(x.astype(np.float32), self.taps, "same"))

    def numpy_fft(self, x):
        n = 75000  # has small factors, and holds each recording and the taps
        y = np.fft.irfft(np.fft.rfft(x, n) * np.fft.rfft(self.taps, n), n)
        return self.rounded(y[TAPS // 2:][:len(x)])

    @staticmethod
    def rounded(y):
        return np.rint(y).clip(-32768, 32767).astype(np.int16)

    def labelled(self, x):
        return self.levels.label_and_count(x)

    def numpy_labelled(self, x):
        labels = self.map[np.searchsorted(self.thresholds, x, "right")]
        return labels, np.bincount(labels, minlength=LEVELS)

    def rows(self):
        """What is done, by gpuprim and by numpy, and by how much a result may differ: rounded sums of
        floats that lie near one half may go either way."""
        return (("lowest, highest, mean, variance", self.statistics, self.numpy_statistics, 1e-3),
                (f"telephone band, {TAPS} taps; np.convolve", self.filtered, self.numpy_convolve, 1),
                ("  the same; np.fft, another algorithm", self.filtered, self.numpy_fft, 1),
                (f"{LEVELS} levels of loudness, and their counts", self.labelled, self.numpy_labelled, 0))


def processor_seconds():
    """What all programs have used, and what this one has. Of Linux; elsewhere nothing."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            ticks = [int(word) for word in file.readline().split()[1:9]]
    except OSError:
        return 0, 0
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK"), sum(os.times()[:4])


def compare(work, signals):
    """Prints the times of gpuprim and numpy for all signals."""
    print(f"\nThe {len(signals)} others, in ms: sums of medians after a warm-up, by the Python package and by\n"
          f"numpy {np.__version__}\n\n{'':44}{'gpuprim':>9}{'numpy':>9}   gpuprim is")
    start, (all_before, own_before) = time.perf_counter(), processor_seconds()
    for name, ours, numpys, most in work.rows():
        spent = np.zeros(2)
        for x in signals:
            results = [y if isinstance(y, tuple) else (y,) for y in (ours(x), numpys(x))]
            for mine, other in zip(*results):
                agree(np.all(abs(np.subtract(mine, other, dtype=float)) <= most), name)
            spent += [seconds(lambda: ours(x)), seconds(lambda: numpys(x))]
        print(f"{name:44}{1e3 * spent[0]:9.2f}{1e3 * spent[1]:9.2f}   "
              f"{spent[1] / spent[0]:.1f} times as fast", flush=True)
    all_after, own_after = processor_seconds()
    others = (all_after - all_before - own_after + own_before) / (time.perf_counter() - start)
    if others > 0.15 * os.cpu_count():
        print(f"Other programs kept {others:.1f} of {os.cpu_count()} processors busy meanwhile: a quiet machine\n"
              "gives other figures.")


def main():
    files = sorted(RECORDINGS.glob("*.wav"))
    if not files:
        sys.exit(f"There are no recordings in {RECORDINGS}")
    device = gpuprim.devices()[0]
    print(f"\n{device['name']}, {device['platform']}, {device['compute_units']} compute units", flush=True)
    check_one(files[0])

    work, signals = Work(), {path.name: read(path) for path in files[1:]}
    compare(work, signals.values())
    for name, x in signals.items():
        write(FOLDER / name, work.filter(x))

    first, program = read(files[0]), read(FOLDER / files[0].name)
    agree(np.array_equal(program, work.filter(first)), "the program and the package")
    counts = sum(work.levels.count(x).astype(int) for x in [first, *signals.values()])
    pictures.spectrograms(
        FOLDER / "spectrogram.svg", f"{files[0].stem}: the band of a telephone, {BAND[0]} to {BAND[1]} Hz",
        RATE, BAND, {"before": first, f"after a filter of {TAPS} taps": program})
    pictures.histogram(FOLDER / "loudness.svg",
                       f"How loud {counts.sum()} samples of {len(files)} recordings are", STEP_DB, counts)
    print(f"\nPictures: {FOLDER}/spectrogram.svg   {files[0].stem} before and after the filter\n"
          f"          {FOLDER}/loudness.svg      how loud the samples are\n"
          f"Sound:    {FOLDER}/*.wav             the recordings as a telephone would transmit them\n"
          "All results agree with the reference and with numpy.")


main()
