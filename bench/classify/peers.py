#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures PyTorch or CuPy on the rows of `check --bench` that label or count f32 elements.

    bench/classify/peers.py torch|cupy [--json=FILE]

Their labels are wider than ours: i32 in PyTorch, i64 in CuPy. They offer no narrower ones, so that
their users pay for the width, too. Times are those of bench/cuda_bench.cuh: two events on an idle
stream, and two events after work that keeps the device busy until everything is enqueued. The exit
status is 77 if the library or a GPU is missing.
"""
import datetime
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'reduce'))

SAMPLES = 25
ELEMENTS = 1 << 28
LABELLED = [('even', n) for n in (7, 15, 63, 255, 1023, 4095)] + [
    (spread, n) for n in (255, 1023, 4095) for spread in ('clustered', 'log-spaced')]
COUNTED = [(n, one) for n in (256, 1024, 4096) for one in (False, True)]


def medians(pair_us, work):
    work()
    pairs = [(pair_us(False, work), pair_us(True, work)) for _ in range(SAMPLES)]
    return [sorted(column)[SAMPLES // 2] for column in zip(*pairs)]


def thresholds(module, spread, n):
    """n thresholds between 0 and 1, as in tests/classify/bench.c."""
    part = module.arange(1, n + 1, dtype=module.float64) / (n + 1)
    if spread == 'log-spaced':
        part = 2.0 ** (-24 * (1 - part))
    elif spread == 'clustered':
        part = part / 1000
    return module.asarray(part, dtype=module.float32)


class Torch:
    def __init__(self):
        import torch
        if not torch.cuda.is_available():
            raise ImportError('PyTorch finds no GPU')
        import pytorch  # bench/reduce/pytorch.py
        torch.manual_seed(1)
        torch.set_default_device('cuda')
        self.torch, self.pair_us = torch, pytorch.pair_us
        self.name = f'PyTorch {torch.__version__}'
        self.device, self.driver = torch.cuda.get_device_name(), f'CUDA {torch.version.cuda}'
        self.x, self.one = torch.rand(ELEMENTS), torch.full((ELEMENTS,), 0.3)

    def labels(self, spread, n):
        t, x = thresholds(self.torch, spread, n), self.x
        out = self.torch.empty(ELEMENTS, dtype=self.torch.int32)

        def work():
            self.torch.bucketize(x, t, right=True, out_int32=True, out=out)

        def right():
            some = (x[:10000, None] >= t).sum(1)
            return (out[:10000] == some).all().item()

        return f'{n} {spread} thresholds, labels', 8 * ELEMENTS, work, right

    def counts(self, n, one):
        x = self.one if one else self.x

        def work():
            self.counted = self.torch.histc(x, n, 0, 1)

        def right():  # an f32 holds these counts exactly
            t = thresholds(self.torch, 'even', n - 1)
            exact = self.torch.bincount(self.torch.bucketize(x, t, right=True), minlength=n)
            return (self.counted == exact).all().item()

        return f'{n} bins, counts{" in one class" * one}', 4 * ELEMENTS, work, right

    def rows(self):
        for spread, n in LABELLED:
            yield self.labels(spread, n)
        for n, one in COUNTED:
            yield self.counts(n, one)


class Cupy:
    def __init__(self):
        import cupy
        if not cupy.cuda.is_available():
            raise ImportError('CuPy finds no GPU')
        self.cupy = cupy
        self.name = f'CuPy {cupy.__version__}'
        self.device = cupy.cuda.runtime.getDeviceProperties(0)['name'].decode()
        version = cupy.cuda.runtime.runtimeGetVersion()
        self.driver = f'CUDA {version // 1000}.{version % 1000 // 10}'
        cupy.random.seed(1)
        self.x = cupy.random.random(ELEMENTS, dtype=cupy.float32)
        self.busy = cupy.RawKernel('''extern "C" __global__ void busy()
            { long long start = clock64(); while (clock64() - start < 400000); }''', 'busy')

    def pair_us(self, queued, work):
        begin, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        if queued:
            self.busy((1,), (1,), ())
        begin.record()
        work()
        end.record()
        end.synchronize()
        return 1e3 * self.cupy.cuda.get_elapsed_time(begin, end)

    def rows(self):
        for spread, n in LABELLED:
            t = thresholds(self.cupy, spread, n)

            def work():
                self.out = self.cupy.searchsorted(t, self.x, side='right')

            def right():
                return bool((self.out[:10000] == (self.x[:10000, None] >= t).sum(1)).all())

            yield f'{n} {spread} thresholds, labels', 12 * ELEMENTS, work, right


def measure(peer, name, size, work, right):
    idle, queued = medians(peer.pair_us, work)
    rate, verified = 1e-3 * size / min(idle, queued), right()
    print(f'{name:36} {ELEMENTS:12} {idle:11.2f} us idle {queued:11.2f} us queued {rate:8.1f} GB/s'
          f'{"" if verified else "  WRONG"}', flush=True)
    return {'primitive': 'classify', 'name': name, 'type': 'f32', 'n': ELEMENTS,
            'device_us': round(idle, 3), 'queued_us': round(queued, 3), 'wall_us': 0,
            'rate': round(rate, 2), 'unit': 'GB/s', 'verified': verified}


def main():
    peers = {'torch': Torch, 'cupy': Cupy}
    if len(sys.argv) < 2 or sys.argv[1] not in peers:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        peer = peers[sys.argv[1]]()
    except ImportError as error:
        print(f'{sys.argv[1]} is not measured: {error}')
        return 77
    rows = [measure(peer, *row) for row in peer.rows()]
    files = [a[len('--json='):] for a in sys.argv[2:] if a.startswith('--json=')]
    for file in files:
        with open(file, 'w', encoding='utf-8') as out:
            json.dump({'peer': peer.name, 'device': peer.device, 'driver': peer.driver,
                       'date': datetime.date.today().isoformat(), 'rows': rows}, out, indent=1)
    return 0 if all(row['verified'] for row in rows) else 1


if __name__ == '__main__':
    sys.exit(main())
