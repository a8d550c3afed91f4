#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joins what `check --bench` measured with what peers need, as tables for docs/measurements/.

    bench/table.py BENCH.json [PEER.json ...]
    bench/table.py --ratios BENCH.json PEER.json ...     one JSON object, for scripts/chart: each row that
                                                         has a peer, with the fastest one

Rows are joined by primitive, name, type and n. If a peer measured a row several times, the
shortest time counts. A ratio is the peer's time divided by ours: above 1, gpuprim is faster. Ratios
below 0.97 are bold, and `(wrong)` marks a peer whose result was wrong.

A bound is the longer of two times: the bytes divided by the read rate of this device, and the
operations divided by half its multiply-add rate, both measured in the same run. An element counts
one operation (two for minimum and maximum, or for value and position), twice as many in 64-bit
types.
"""
import json
import sys

OPERATIONS = {'minmax': 2, 'max_abs': 2, 'statistics': 6, 'argmin': 2, 'argmax': 2, 'sum_abs': 2, 'sum_squares': 2}
LARGE = ('sum', 'min', 'max', 'minmax', 'argmin', 'argmax')
ORDER = ('i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64', 'f16', 'f32', 'f64')
WIDTH = {kind: int(kind[1:]) // 8 for kind in ORDER}


def key(row):
    return row['primitive'], row['name'], row['type'], row['n']


def best(*values):
    return min((v for v in values if v), default=None)


def join(files):
    """Returns three dicts: the row of the fastest peer by key, all rows by (key, peer), and the head of
    each peer's file."""
    peers, every, heads = {}, {}, {}
    for file in files:
        with open(file, encoding='utf-8') as text:
            try:
                measured = json.load(text)
            except json.JSONDecodeError as error: # the run was interrupted
                print(f'{file}: {error}', file=sys.stderr)
                continue
        heads.setdefault(measured['peer'], measured)
        for row in measured['rows']:
            every.setdefault((key(row), measured['peer']), row)
            old = peers.get(key(row))
            if old and old['peer'] == measured['peer']:
                for field in ('device_us', 'queued_us', 'wall_us', 'mapped_us'):
                    old[field] = best(old.get(field), row.get(field))
            elif not old or (row['device_us'] or row['wall_us']) < (old['device_us'] or old['wall_us']):
                peers[key(row)] = dict(row, peer=measured['peer'])
    return peers, every, heads


def number(value, digits=0):
    return '' if value is None else f'{value:.{digits}f}'


def gbps(row, microseconds):
    if not microseconds:
        return ''
    value = 1e-3 * row['bytes'] / microseconds
    return number(value, 0 if value >= 100 else 1)


def rate(row, microseconds):
    if not microseconds:
        return ''
    value = 1e-3 * row['n'] / microseconds
    return number(value, 1 if value >= 10 else 3)


def ratio(theirs, ours, peer):
    if not theirs or not ours:
        return ''
    value = f'{theirs / ours:.2f}'
    value = value if theirs / ours >= 0.97 else f'**{value}**'
    return value if peer['verified'] else value + ' (wrong)'


def table(head, rows):
    """Prints a table without its empty columns."""
    if not rows:
        return
    kept = [i for i in range(len(head)) if i == 0 or any(row[i] for row in rows)]
    head, rows = [head[i] for i in kept], [[row[i] for i in kept] for row in rows]
    print('| ' + ' | '.join(head) + ' |')
    print('|' + '---|' * len(head))
    for row in rows:
        print('| ' + ' | '.join(row) + ' |')
    print()


class Report:
    def __init__(self, bench, peers, every, heads):
        self.bench, self.peers, self.every, self.heads = bench, peers, every, heads
        self.rows = {}
        for row in bench['rows']:
            self.rows.setdefault((key(row), bool(row['wall_us'])), row)

    def bound(self, row):
        """The times in us that the bytes and the operations need at least."""
        operations = row['n'] * OPERATIONS.get(row['name'], 1)
        if row['type'].endswith('64'):
            operations *= 2
        rate = self.bench['fma_gflops'] / 2
        return 1e-3 * row['bytes'] / self.bench['read_gbps'], 1e-3 * operations / rate

    def bound_text(self, row, digits=0):
        in_bytes, in_operations = self.bound(row)
        return f'{in_bytes:.{digits}f}; {in_operations:.{digits}f}'

    def against(self, row):
        """Our rate, its share of the read rate, the peer's rate and the ratio."""
        peer = self.peers.get(key(row))
        theirs = peer['device_us'] if peer else None
        return [gbps(row, row['device_us']), number(row['share'], 3), gbps(row, theirs),
                ratio(theirs, row['device_us'], peer)]

    def named(self, wanted):
        return [row for row in self.rows.values() if wanted(row)]

    def head(self):
        b = self.bench
        print(f"{b['device']}, driver {b['driver']}, {b['date']}, commit "
              f"{b['commit'] or 'unknown'}: read {b['read_gbps']:.0f} GB/s, copy "
              f"{b['copy_gbps']:.0f} GB/s, f32 multiply-add {b['fma_gflops']:.0f} GFLOP/s; an "
              f"empty kernel {b['empty_us']:.1f} us by its event, {b['empty_wall_us']:.1f} us "
              "with launch and wait.")
        for name, head in self.heads.items():
            pair = head.get('empty_pair_us')
            print(f"{name}, {head['driver']}, {head['date']}"
                  + (f": copy {head['copy_gbps']:.0f} GB/s, an empty pair of events {pair:.2f} us."
                     if pair else '.'))
        print()

    def small(self):
        """Small inputs, whose time is that of launches and of reading the result back."""
        lines = []
        for row in self.named(lambda row: row['wall_us']):
            peer = self.peers.get(key(row), {})
            ours, theirs = row['device_us'], peer.get('device_us')
            lines.append([f"{row['name']} {row['type']}", str(row['n']), self.bound_text(row, 1),
                          number(ours or None, 1), number(peer.get('device_us') or None, 1),
                          number(peer.get('queued_us') or None, 1),
                          ratio(theirs, ours, peer),
                          number(row['wall_us'], 1), number(peer.get('wall_us'), 1),
                          number(peer.get('mapped_us'), 1),
                          ratio(peer.get('wall_us'), row['wall_us'], peer), number(row['launches'], 2)])
        table(['', 'elements', 'bound, us: bytes; operations', 'device, us', 'peer, idle',
               'peer, queued', 'ratio', 'until done, us', 'peer, copied', 'peer, mapped', 'ratio',
               'over an empty launch'], lines)

    def large(self):
        for name in LARGE:
            lines, size = [], 0
            for kind in ORDER:
                rows = self.named(lambda row, kind=kind, name=name: row['name'] == name and
                                  row['type'] == kind and not row['wall_us'])
                rows.sort(key=lambda row: -row['n'])
                if rows:
                    size = rows[0]['n'] * WIDTH[kind] >> 20
                    lines.append([kind, self.bound_text(rows[0])] + self.against(rows[0])
                                 + (self.against(rows[1]) if len(rows) > 1 else [''] * 4))
            if lines:
                cells = ['GB/s', 'of read', 'peer', 'ratio']
                table([name, f'bound, us, {size} MiB: bytes; operations'] + cells
                      + [f'{size // 4} MiB: GB/s'] + cells[1:], lines)

    def others(self):
        lines = []
        for row in self.named(lambda row: row['primitive'] == 'reduce' and
                              row['name'] not in LARGE and not row['wall_us']):
            peer = self.peers.get(key(row))
            lines.append([f"{row['name']}, {row['type']}", str(row['n']), self.bound_text(row),
                          number(row['device_us'], 1)] + self.against(row)
                         + [peer['peer'] if peer else ''])
        table(['', 'elements', 'bound, us: bytes; operations', 'device, us', 'GB/s', 'of read',
               'peer', 'ratio', 'which'], lines)

    def elements(self, primitive, what, unit):
        """Elements per second, ours and those of every peer. Rows that memory limits have a share of
        the copy rate, or of the read rate if they write little. Rows that arithmetic limits have a
        share of the multiply-add rate."""
        ours = self.named(lambda row: row['primitive'] == primitive)
        names = [name for name in self.heads
                 if any((key(row), name) in self.every for row in ours)]
        lines = []
        for row in ours:
            line = [f"{row['name']}, {row['type']}", str(row['n']), number(row['device_us'], 1),
                    rate(row, row['device_us']), number(row['share'], 3),
                    number(row['fma_share'] or None, 3)]
            for name in names:
                peer = self.every.get((key(row), name))
                theirs = best(peer['device_us'], peer['queued_us']) if peer else None
                line += [rate(row, theirs), ratio(theirs, row['device_us'], peer)]
            lines.append(line)
        table(['', what, 'device, us', unit, 'of copy or read', 'of multiply-adds']
              + [head for name in names for head in (name, 'ratio')], lines)


def print_ratios(bench, every):
    """The fastest peer of each row that has one; of its idle and queued times the shorter counts."""
    rows = []
    for row in bench['rows']:
        found = [(best(peer['device_us'], peer.get('queued_us')), name)
                 for (which, name), peer in every.items() if which == key(row) and peer['verified']]
        theirs, name = min(((us, name) for us, name in found if us), default=(None, None))
        if theirs and row['device_us']:
            rows.append({'primitive': row['primitive'], 'name': row['name'], 'type': row['type'],
                         'n': row['n'], 'us': row['device_us'], 'peer': name, 'peer_us': theirs,
                         'ratio': round(theirs / row['device_us'], 3)})
    head = {name: bench[name] for name in ('device', 'driver', 'date', 'commit', 'copy_gbps', 'read_gbps')}
    print(json.dumps(head)[:-1] + ', "rows": [')
    print(',\n'.join(json.dumps(row) for row in rows) + '\n]}')


def main():
    if sys.argv[1:2] == ['--ratios']:
        with open(sys.argv[2], encoding='utf-8') as text:
            print_ratios(json.load(text), join(sys.argv[3:])[1])
        return 0
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(sys.argv[1], encoding='utf-8') as text:
        bench = json.load(text)
    report = Report(bench, *join(sys.argv[2:]))
    report.head()
    report.small()
    report.large()
    report.others()
    report.elements('convolve1d', 'outputs', 'Gout/s')
    report.elements('classify', 'elements', 'Gelem/s')
    return 0


if __name__ == '__main__':
    sys.exit(main())
