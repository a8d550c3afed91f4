#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures other libraries on the rows of convolve1d in `check --bench`.

    bench/convolve1d/peers.py torch|cupy|oaconvolve|clamp [--curve] [--json=FILE]

    torch   torch.nn.functional.conv1d: cuDNN's best algorithm for each number of taps, no TF32
    cupy    cupyx.scipy.ndimage.convolve1d for floats, with each boundary; cupy.convolve for i16, the
            only type for which it is direct (it filters floats by FFT)
    oaconvolve  cupyx.scipy.signal.oaconvolve: the curves of short and long filters
    clamp   the obvious kernel, compiled by cupy: one output per item; min and max clamp the index
            of each input

--curve: only the rows of the curves over numbers of taps.

Times are those of bench/cuda_bench.cuh: two events on an idle stream, and two events after work
that keeps the device busy until everything is enqueued. The exit status is 77, with the reason, if the
peer or a GPU is missing.
"""
import datetime
import json
import sys
import time

try:
    import numpy
except ImportError:
    numpy = None

BYTES = 256 << 20 # rows by boundaries and by types
LARGE = 1 << 30 # rows by numbers of taps
TAPS = (3, 9, 17, 33, 65, 129, 257)
SOME = (9, 65)
CURVE_BYTES = 64 << 20 # the curves of both methods
CURVE = (3, 9, 17, 33, 65, 129, 257, 513, 1025, 2049, 4097, 16385, 65537)
MOST_DIRECT = 1025 # taps
STRETCH = 4096
FEWEST, MOST, BUDGET_S = 5, 25, 0.3 # samples per row, and seconds

CLAMP = r'''
extern "C" __global__ void clamp(const float *__restrict__ x, const float *__restrict__ h,
                                 float *__restrict__ y, int n, int taps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < taps; k++)
        s = fmaf(h[k], x[min(max(i + (taps - 1) / 2 - k, 0), n - 1)], s);
    if (i < n)
        y[i] = s;
}
'''

BUSY = r'''
extern "C" __global__ void busy(long long cycles)
{
    const long long start = clock64();
    while (clock64() - start < cycles)
        ;
}
'''


class Missing(Exception):
    pass


def floats(taps):
    return [1 / (k + 2) for k in range(taps)]


def whole(taps):
    return [k % 13 - 6 for k in range(taps)]


class Torch:
    def __init__(self):
        try:
            import torch
        except ImportError as error:
            raise Missing(f'no PyTorch: {error}') from error
        if not torch.cuda.is_available():
            raise Missing('PyTorch sees no GPU')
        self.torch = torch
        self.name = f'PyTorch {torch.__version__}'
        self.device = torch.cuda.get_device_name()
        self.driver = f'CUDA {torch.version.cuda}'
        self.synchronize = torch.cuda.synchronize

    def event(self):
        return self.torch.cuda.Event(enable_timing=True)

    def busy(self):
        self.torch.cuda._sleep(400000)

    def elapsed_us(self, begin, end):
        return 1e3 * begin.elapsed_time(end)

    def take(self, array, index):
        """Returns elements of an array on the host."""
        return array.view(-1)[self.torch.from_numpy(index).cuda()].cpu().numpy()

    def rows(self, only_curve=False):
        """Yields taps, boundary, type, input, and the function to measure (returns the output)."""
        torch = self.torch
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cudnn.benchmark = True
        torch.manual_seed(1)
        curve = [taps for taps in CURVE if taps <= MOST_DIRECT]
        sizes = ((LARGE, TAPS), (BYTES, SOME)) if not only_curve else ()
        for size, all_taps in *sizes, (CURVE_BYTES, curve):
            x = 1 + torch.rand(1, 1, size // 4, device='cuda')
            for taps in all_taps:
                h = torch.tensor(floats(taps), device='cuda').flip(0).view(1, 1, taps)
                yield (taps, 'zero', 'f32', x, lambda x=x, h=h, taps=taps:
                       torch.nn.functional.conv1d(x, h, padding=taps // 2))


class Cupy:
    def __init__(self):
        try:
            import cupy
            from cupyx.scipy import ndimage
        except ImportError as error:
            raise Missing(f'no CuPy: {error}') from error
        try:
            self.device = cupy.cuda.runtime.getDeviceProperties(0)['name'].decode()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise Missing(f'CuPy sees no GPU: {error}') from error
        version = cupy.cuda.runtime.runtimeGetVersion()
        self.cupy, self.ndimage = cupy, ndimage
        self.name = f'CuPy {cupy.__version__}'
        self.driver = f'CUDA {version // 1000}.{version % 1000 // 10}'
        self.event = cupy.cuda.Event
        self.synchronize = cupy.cuda.Device().synchronize
        self.kernel = cupy.RawKernel(BUSY, 'busy')

    def busy(self):
        self.kernel((1,), (1,), (400000,))

    def elapsed_us(self, begin, end):
        return 1e3 * self.cupy.cuda.get_elapsed_time(begin, end)

    def take(self, array, index):
        return array[self.cupy.asarray(index)].get()

    def floats(self, size):
        return 1 + self.cupy.random.default_rng(1).random(size // 4, dtype=self.cupy.float32)

    def rows(self, only_curve=False):
        cupy = self.cupy
        modes = {'zero': 'constant', 'edge': 'nearest', 'reflect_half': 'reflect',
                 'reflect_whole': 'mirror', 'wrap': 'wrap'}
        for size, boundaries, all_taps in (LARGE, ('zero',), TAPS), (BYTES, modes, SOME):
            x = self.floats(size)
            y = cupy.empty_like(x)
            for boundary in boundaries:
                for taps in all_taps:
                    h = cupy.array(floats(taps), dtype=cupy.float32)
                    yield (taps, boundary, 'f32', x,
                           lambda x=x, h=h, y=y, mode=modes[boundary]:
                           self.ndimage.convolve1d(x, h, output=y, mode=mode))
        z = cupy.random.default_rng(1).integers(-32768, 32768, BYTES // 2).astype(cupy.int16)
        for taps in SOME:
            h = cupy.array(whole(taps), dtype=cupy.int16)
            yield taps, 'zero', 'i16', z, lambda h=h: cupy.convolve(z, h, 'same')


class Oaconvolve(Cupy):
    def __init__(self):
        super().__init__()
        from cupyx.scipy.signal import oaconvolve
        self.oaconvolve = oaconvolve
        self.name = f'oaconvolve of {self.name}'

    def rows(self, only_curve=False):
        x = self.floats(CURVE_BYTES)
        for taps in CURVE:
            h = self.cupy.array(floats(taps), dtype=self.cupy.float32)
            yield taps, 'zero', 'f32', x, lambda h=h: self.oaconvolve(x, h, 'same')


class Clamp(Cupy):
    def __init__(self):
        super().__init__()
        self.name = 'min/max-clamp kernel'

    def rows(self, only_curve=False):
        cupy = self.cupy
        kernel = cupy.RawKernel(CLAMP, 'clamp')
        x = self.floats(LARGE)
        y = cupy.empty_like(x)
        for taps in TAPS:
            h = cupy.array(floats(taps), dtype=cupy.float32)

            def work(h=h, taps=taps):
                kernel((x.size // 256,), (256,),
                       (x, h, y, cupy.int32(x.size), cupy.int32(taps)))
                return y
            yield taps, 'edge', 'f32', x, work


# ------------------------------------------------------------------------- correctness
def resolved(j, n, boundary):
    """Indices inside the array for the indices j, which may lie beyond its ends."""
    if boundary == 'wrap':
        return j % n
    if boundary.startswith('reflect'):
        last = 2 * n - (1 if boundary == 'reflect_half' else 2)
        period = 2 * n if boundary == 'reflect_half' else last
        return numpy.minimum(j % period, last - j % period)
    return j.clip(0, n - 1)


def is_right(gpu, x, y, taps, boundary, kind):
    """Compares parts at both ends and in the middle with numpy's convolution."""
    n = x.shape[-1]
    h = numpy.array(floats(taps) if kind == 'f32' else whole(taps))
    for begin in (0, n // 2, n - STRETCH):
        j = numpy.arange(begin - taps // 2, begin + STRETCH + taps // 2)
        window = gpu.take(x, resolved(j, n, boundary)).astype(h.dtype)
        if boundary == 'zero':
            window[(j < 0) | (j >= n)] = 0
        expected = numpy.convolve(window, h, 'valid')
        got = gpu.take(y, numpy.arange(begin, begin + STRETCH))
        # The peer's integers wrap; ours are shifted and saturated.
        if not (numpy.allclose(got, expected, rtol=1e-5) if kind == 'f32' else
                (got == expected.astype(got.dtype)).all()):
            return False
    return True


# ------------------------------------------------------------------------- times
def pair_us(gpu, queued, work):
    begin, end = gpu.event(), gpu.event()
    if queued:
        gpu.busy()
    begin.record()
    work()
    end.record()
    end.synchronize()
    return gpu.elapsed_us(begin, end)


def medians(gpu, work):
    work()
    gpu.synchronize()
    start, pairs = time.monotonic(), []
    while len(pairs) < FEWEST or (len(pairs) < MOST and time.monotonic() - start < BUDGET_S):
        pairs.append((pair_us(gpu, False, work), pair_us(gpu, True, work)))
    return [sorted(column)[len(pairs) // 2] for column in zip(*pairs)]


def measure(gpu, taps, boundary, kind, x, work):
    n = x.shape[-1]
    name = f'{taps} taps, {boundary}'
    idle, queued = medians(gpu, work)
    rate = 1e-3 * n / min(idle, queued)
    verified = bool(is_right(gpu, x, work(), taps, boundary, kind))
    print(f'{name:24} {kind} {n:12} {idle:11.2f} us idle {queued:11.2f} us queued '
          f'{rate:8.2f} Gout/s{"" if verified else "  WRONG"}', flush=True)
    return {'primitive': 'convolve1d', 'name': name, 'type': kind, 'n': n,
            'device_us': round(idle, 3), 'queued_us': round(queued, 3), 'rate': round(rate, 3),
            'unit': 'Gout/s', 'verified': verified}


def main():
    peers = {'torch': Torch, 'cupy': Cupy, 'oaconvolve': Oaconvolve, 'clamp': Clamp}
    if len(sys.argv) < 2 or sys.argv[1] not in peers:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        if not numpy:
            raise Missing('no numpy')
        gpu = peers[sys.argv[1]]()
    except Missing as reason:
        print(f'{sys.argv[1]} is not measured: {reason}')
        return 77
    print(f'{gpu.name} on {gpu.device}, {gpu.driver}')
    rows = []
    for taps, boundary, kind, x, work in gpu.rows('--curve' in sys.argv):
        try:
            rows.append(measure(gpu, taps, boundary, kind, x, work))
        except Exception as error: # the peer cannot do this row; measure the others
            print(f'{taps} taps, {boundary}, {kind}: {error!r:.200}', flush=True)
    for file in (a[len('--json='):] for a in sys.argv[2:] if a.startswith('--json=')):
        with open(file, 'w', encoding='utf-8') as out:
            json.dump({'peer': gpu.name, 'device': gpu.device, 'driver': gpu.driver,
                       'date': datetime.date.today().isoformat(), 'rows': rows}, out, indent=1)
    return 0 if rows and all(r['verified'] for r in rows) else 1


if __name__ == '__main__':
    sys.exit(main())
