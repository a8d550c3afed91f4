#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures PyTorch on the rows of `check --bench` for which CUB has no function, or a slow one.

    bench/reduce/pytorch.py [--json=FILE]

Times are those of bench/cuda_bench.cuh: two events on an idle stream, and two events after work
that keeps the device busy until everything is enqueued.
"""
import datetime
import json
import sys

import torch

SAMPLES = 25
BYTES = 4 << 30


def pair_us(queued, work):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    if queued:
        torch.cuda._sleep(400000)
    begin.record()
    work()
    end.record()
    end.synchronize()
    return 1e3 * begin.elapsed_time(end)


def medians(work):
    work()
    torch.cuda.synchronize()
    pairs = [(pair_us(False, work), pair_us(True, work)) for _ in range(SAMPLES)]
    return [sorted(column)[SAMPLES // 2] for column in zip(*pairs)]


def row(name, n, size, work, right):
    idle, queued = medians(work)
    rate = 1e-3 * size / min(idle, queued)
    verified = right()
    print(f'{name:24} {n:12} {idle:11.2f} us idle {queued:11.2f} us queued {rate:8.1f} GB/s'
          f'{"" if verified else "  WRONG"}', flush=True)
    return {'primitive': 'reduce', 'name': name, 'type': 'f32', 'n': n,
            'device_us': round(idle, 3), 'queued_us': round(queued, 3), 'rate': round(rate, 2),
            'unit': 'GB/s', 'verified': verified}


def matrix(x, columns, axis):
    rows = BYTES // 16 // columns
    m = x[:rows * columns].view(rows, columns)
    name = f'sum columns {columns} wide' if axis == 0 else f'sum rows of {columns}'

    def right():
        exact = m[:, :3].double().sum(0) if axis == 0 else m[:1000].double().sum(1)
        return torch.allclose(m.sum(axis)[:len(exact)].double(), exact, rtol=1e-4)

    size = 4 * (rows * columns + (columns if axis == 0 else rows))
    return row(name, rows * columns, size, lambda: m.sum(axis), right)


def main():
    torch.manual_seed(1)
    x = 1 + torch.rand(BYTES // 4, device='cuda')
    widths = (3, 32, 33, 256, 1000, 4096, 65536)
    rows = [matrix(x, columns, axis) for axis in (0, 1) for columns in widths]
    whole = x[:100000].double().sum().item()
    rows.append(row('sum', x.numel(), 4 * x.numel(), x.sum,
                    lambda: abs(x[:100000].sum().item() / whole - 1) < 1e-4))
    rows.append(row('argmin', x.numel(), 4 * x.numel(), x.argmin,
                    lambda: (x[x.argmin()] == x.min()).item()))
    files = [a[len('--json='):] for a in sys.argv[1:] if a.startswith('--json=')]
    for file in files:
        with open(file, 'w', encoding='utf-8') as out:
            json.dump({'peer': f'PyTorch {torch.__version__}',
                       'device': torch.cuda.get_device_name(),
                       'driver': f'CUDA {torch.version.cuda}',
                       'date': datetime.date.today().isoformat(), 'rows': rows}, out, indent=1)
    return 0 if all(r['verified'] for r in rows) else 1


if __name__ == '__main__':
    sys.exit(main())
