#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures both methods of convolve1d on a CPU beside other libraries, in one run.

    GPUPRIM_LIBRARY=build/libgpuprim.so PYTHONPATH=python bench/convolve1d/cpu_peers.py [TAPS ...]

    direct, fft  the library, with the array in place
    fftw         overlap-save by FFTW's transforms of real numbers (pyfftw), in as many threads as
                 the device has compute units; the segments' length is the best of several, all
                 memory is allocated before, and zeros already lie beyond the ends
    scipy        scipy.signal.oaconvolve, with the memory that it allocates

One row of f32, SAME, zeros beyond the ends, 2^24 outputs. All columns are measured in turn, with
the median of ROUNDS; figures are millions of outputs in a second by the clock. CPU is what the same
samples took of all processors' time, in the same unit and for all of them, which other work on the
machine changes less. The results of all are compared. The exit status is 77, with the reason, if
a peer is missing.
"""
import concurrent.futures
import sys
import time

try:
    import numpy
    import pyfftw
    import scipy.signal
    from gpuprim import Context, Filter, devices
    from gpuprim._arrays import view
    from gpuprim._library import call
except ImportError as error:
    print(f'not measured: {error}')
    sys.exit(77)

N = 1 << 24
CURVE = (3, 9, 17, 33, 65, 129, 257, 513, 1025, 2049, 4097, 8193, 16385, 32769, 65537)
MOST_DIRECT = 4097 # taps
ROUNDS, BUDGET_S = 7, 5
BATCH = 1 << 15 # points of FFTW's segments that one call transforms


class Library:
    def __init__(self, context, h, x, method):
        self.context, self.x = context, view(x)
        self.filter = Filter(h, method=method, context=context)
        self.out = numpy.empty_like(x)
        self.y = view(self.out)

    def __call__(self):
        call('gpuprim_convolve1d', self.context, self.filter, self.x, self.y, None, None)
        return self.out


class Fftw:
    """Overlap-save with segments of `length` points."""

    def __init__(self, pool, h, x, length):
        self.pool, self.h, self.length = pool, h, length
        self.valid = length - len(h) + 1
        self.segments = -(-len(x) // self.valid)
        self.padded = numpy.zeros(self.segments * self.valid + len(h) - 1, numpy.float32)
        begin = len(h) - 1 - (len(h) - 1) // 2
        self.padded[begin:begin + len(x)] = x
        self.n = len(x)
        self.out = numpy.empty(self.segments * self.valid, numpy.float32)
        share = -(-self.segments // (4 * pool._max_workers))
        self.batch = max(1, min(BATCH // length, share))
        # The last batch may begin earlier than the one before it ends.
        last = max(self.segments - self.batch, 0)
        self.firsts = [min(i, last) for i in range(0, self.segments, self.batch)]
        self.workers = [self.plans() for _ in range(pool._max_workers)]
        taps = numpy.zeros(length)
        taps[:len(h)] = h
        self.spectrum = (numpy.fft.rfft(taps) / length).astype(numpy.complex64)

    def inputs(self, first):
        return numpy.lib.stride_tricks.as_strided(
            self.padded[first * self.valid:], (self.batch, self.length), (4 * self.valid, 4))

    def plans(self):
        spectra = pyfftw.empty_aligned((self.batch, self.length // 2 + 1), numpy.complex64)
        points = pyfftw.empty_aligned((self.batch, self.length), numpy.float32)
        flags = ('FFTW_MEASURE', 'FFTW_UNALIGNED')
        saved = self.padded.copy() # plans are measured in the array
        there = pyfftw.FFTW(self.inputs(0), spectra, flags=flags)
        back = pyfftw.FFTW(spectra, points, direction='FFTW_BACKWARD', flags=flags[:1])
        self.padded[:] = saved
        return there, back, spectra, points

    def work(self, number):
        there, back, spectra, points = self.workers[number]
        out = self.out.reshape(self.segments, self.valid)
        for first in self.firsts[number::len(self.workers)]:
            there.update_arrays(self.inputs(first), spectra)
            there.execute()
            numpy.multiply(spectra, self.spectrum, out=spectra)
            back.execute()
            out[first:first + self.batch] = points[:, len(self.h) - 1:]

    def __call__(self):
        list(self.pool.map(self.work, range(len(self.workers))))
        return self.out[:self.n]


def best_fftw(pool, h, x):
    shortest = max(1024, 1 << (2 * len(h) - 1).bit_length())
    times = {}
    for length in (shortest << i for i in range(4)):
        if length <= N // 4:
            peer = Fftw(pool, h, x, length)
            times[length] = min(sample(peer)[0] for _ in range(3))
    return Fftw(pool, h, x, min(times, key=times.get))


def sample(work):
    wall, processors = time.monotonic(), time.process_time()
    work()
    return time.monotonic() - wall, time.process_time() - processors


def measure(context, pool, processors, x, taps):
    h = numpy.random.default_rng(taps).standard_normal(taps, numpy.float32)
    columns = {'fft': Library(context, h, x, 'fft'), 'fftw': best_fftw(pool, h, x),
               'scipy': lambda: scipy.signal.oaconvolve(x, h, 'same')}
    if taps <= MOST_DIRECT:
        columns['direct'] = Library(context, h, x, 'direct')
    expected = scipy.signal.oaconvolve(x.astype(float), h.astype(float), 'same')
    bound = 128 * 2.0**-24 * abs(h).sum() * abs(x).max()
    for name, work in columns.items():
        if not abs(work() - expected).max() <= bound:
            raise ValueError(f'{name} is wrong')
    samples = {name: [] for name in columns}
    start = time.monotonic()
    while len(samples['fft']) < ROUNDS or (time.monotonic() - start < BUDGET_S and
                                           len(samples['fft']) < 5 * ROUNDS):
        for name, work in columns.items():
            samples[name].append(sample(work))
    rates = {}
    for name, all_samples in samples.items():
        wall, cpu = (sorted(column)[len(column) // 2] for column in zip(*all_samples))
        rates[name] = (1e-6 * len(x) / wall, 1e-6 * len(x) / cpu * processors)
    return rates, columns['fftw'].length


def main():
    context = Context('cpu')
    device = next(d for d in devices() if d['kind'] == 'cpu')
    pool = concurrent.futures.ThreadPoolExecutor(device['compute_units'])
    x = numpy.random.default_rng(1).standard_normal(N, numpy.float32)
    print(f'{device["name"]}; pyfftw {pyfftw.__version__}, {pyfftw.fftw_version}, '
          f'scipy {scipy.__version__}')
    print('| taps | direct | fft | fftw | its points | scipy | fft / fftw | CPU: direct | fft | '
          'fftw | scipy | fft / fftw |\n|' + '---|' * 12)
    for taps in [int(a) for a in sys.argv[1:]] or CURVE:
        rates, length = measure(context, pool, device['compute_units'], x, taps)
        wall, cpu = ({name: rate[i] for name, rate in rates.items()} for i in (0, 1))
        print(f'| {taps} | {wall.get("direct", 0):.0f} | {wall["fft"]:.0f} | {wall["fftw"]:.0f} | '
              f'{length} | {wall["scipy"]:.0f} | {wall["fft"] / wall["fftw"]:.2f} | '
              f'{cpu.get("direct", 0):.0f} | {cpu["fft"]:.0f} | {cpu["fftw"]:.0f} | '
              f'{cpu["scipy"]:.0f} | {cpu["fft"] / cpu["fftw"]:.2f} |', flush=True)


if __name__ == '__main__':
    sys.exit(main())
