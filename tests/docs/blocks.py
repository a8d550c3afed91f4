#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every fenced block of README.md and docs/ holds: it compiles, runs and prints what the page says.
Prints TAP, a line for each page.

    blocks.py SOURCE LIBGPUPRIM.so PROGRAM [PAGE...]

PROGRAM is gpuprim, which blocks of the kind console call.

The first words behind the three backquotes say what a block is:

    c, cpp       a program. It compiles without warnings, runs and ends with 0. A block `text` right
                 behind it is what it prints; else the comments behind its calls of printf are
    c fragment   statements. They compile where fragment.h stands before them, and are not run
    python       the blocks of a page run one after another in one process; `text` as above
    console      lines that begin with "$ " run in a folder of their own, with the program gpuprim;
                 the lines behind each are what it prints, where "..." stands for anything
    sh           commands that change the machine. Only their syntax is read
    cmake, meson each line stands, with other names of programs, in a file of tests/install/consumer,
                 which the test `consumer` builds
    text         what a program prints, or a drawing
    {...}        Sphinx reads it
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE, LIBRARY, PROGRAM = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
HERE = pathlib.Path(__file__).resolve().parent
CONSUMER = SOURCE / 'tests/install/consumer'
STRICT = ['-Wall', '-Wextra', '-Wpedantic', '-Werror', '-O0']
LINK = [f'-I{SOURCE / "include"}', str(LIBRARY), f'-Wl,-rpath,{LIBRARY.parent}', '-lm']
ENVIRONMENT = dict(os.environ, GPUPRIM_LIBRARY=str(LIBRARY), LC_ALL='C.UTF-8',
                   PYTHONPATH=str(SOURCE / 'python'), PYTHONDONTWRITEBYTECODE='1',
                   PATH=f'{PROGRAM.parent}:{os.environ["PATH"]}')
NO_DEVICE = 77


class Wrong(Exception):
    """A block does not do what its page says."""


class Block:
    def __init__(self, page, line, words, text):
        self.page, self.line, self.words, self.text = page, line, words, text
        self.output = None  # what the page says it prints

    @property
    def place(self):
        return f'{self.page.relative_to(SOURCE)}:{self.line}'


def blocks_of(page):
    """The fenced blocks of a page; `output` is the block `text` right behind a program."""
    blocks, block, before = [], None, None
    for number, line in enumerate(page.read_text(encoding='utf-8').splitlines(), 1):
        fence = re.match(r'(`{3,}|:{3,})(.*)$', line)
        if block is None and fence and fence.group(1)[0] == '`':
            block, mark = Block(page, number, fence.group(2).split(), ''), fence.group(1)
        elif block is not None and line == mark:
            if block.words == ['text'] and before is not None:
                before.output, before = block.text, None
            else:
                before = block if block.words in (['c'], ['cpp'], ['python']) else None
            blocks.append(block)
            block = None
        elif block is not None:
            block.text += line + '\n'
        elif line.strip() and not line.startswith(('It prints', 'This prints')):
            before = None
    if block is not None:
        raise Wrong(f'{block.place}: the block does not end')
    return blocks


def run(command, block, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=ENVIRONMENT, timeout=300, check=False, **options)
    if done.returncode not in (0, NO_DEVICE):
        raise Wrong(f'{block.place}: exit status {done.returncode}\n{done.stdout}{done.stderr}')
    return None if done.returncode else done.stdout


def compare(block, printed, wanted):
    """Both texts are equal but for spaces at the ends of lines; "..." stands for anything."""
    def tidy(text):
        return '\n'.join(line.rstrip() for line in text.strip('\n').splitlines())
    pattern = '.*'.join(re.escape(part) for part in tidy(wanted).split('...'))
    if not re.fullmatch(pattern, tidy(printed), re.DOTALL):
        raise Wrong(f'{block.place}: it prints\n{printed}\ninstead of\n{wanted}')


def program(block, work, compiler, standard, suffix):
    if 'int main(' not in block.text:
        raise Wrong(f'{block.place}: no main; a part of a program is marked "c fragment"')
    source = work / f'program{suffix}'
    source.write_text(block.text, encoding='utf-8')
    run([*compiler, standard, *STRICT, str(source), *LINK, '-o', str(work / 'program')], block)
    printed = run([str(work / 'program')], block, cwd=work)
    if printed is None:
        return
    if block.output is not None:
        compare(block, printed, block.output)
    elif comments := re.findall(r'printf\(.*; // (.*)', block.text):
        compare(block, ' '.join(printed.split()), ' '.join(comments))
    else:
        raise Wrong(f'{block.place}: the page does not say what the program prints')


def fragment(block, compiler):
    text = f'#include "fragment.h"\nvoid fragment(void)\n{{\n#line {block.line + 1}\n{block.text}}}\n'
    run([*compiler, '-std=c11', '-fsyntax-only', '-Wall', '-Wno-unused', '-Werror', f'-I{HERE}', *LINK[:1],
         '-x', 'c', '-'], block, input=text)


def python(blocks, work):
    """One process runs the blocks and prints a mark behind each."""
    try:
        import numpy  # noqa: F401
    except ImportError:
        return 'numpy is not installed'
    mark = '--- end of a block ---'
    text = ''.join(block.text + f'print({mark!r})\n' for block in blocks)
    printed = run([sys.executable, '-c', text], blocks[0], cwd=work)
    for block, part in zip(blocks, printed.split(mark + '\n')):
        if part.strip() or block.output is not None:
            compare(block, part, block.output or '')
    return ''


def console(block, work):
    for part in re.split(r'^\$ ', block.text, flags=re.MULTILINE)[1:]:
        command, _, wanted = part.partition('\n')
        while command.endswith('\\'):
            more, _, wanted = wanted.partition('\n')
            command = command[:-1] + more
        printed = run(['sh', '-c', command], block, cwd=work)
        if printed is not None:
            compare(block, printed, wanted)


def built_elsewhere(block):
    known = ''.join(path.read_text(encoding='utf-8') for path in CONSUMER.iterdir()
                    if path.name in ('CMakeLists.txt', 'meson.build'))
    for name, other in (('with_${library}', 'program'), ('${library}', 'gpuprim'),
                        ('consumer', 'program'), ('main.c', 'program.c')):
        known = known.replace(name, other)
    known = {line.strip() for line in known.splitlines()}
    for line in block.text.splitlines():
        if line.strip() and line.strip() not in known:
            raise Wrong(f'{block.place}: no file of tests/install/consumer has the line {line}')


def check_block(block, work, compilers):
    kind = ' '.join(block.words)
    if kind == 'c':
        program(block, work, compilers['c'], '-std=c11', '.c')
    elif kind == 'c fragment':
        fragment(block, compilers['c'])
    elif kind == 'cpp' and compilers['cpp']:
        program(block, work, compilers['cpp'], '-std=c++17', '.cpp')
    elif kind == 'console':
        console(block, work)
    elif kind == 'sh':
        run(['sh', '-n'], block, input=block.text)
    elif kind in ('cmake', 'meson'):
        built_elsewhere(block)
    elif kind not in ('text', 'cpp', 'python') and not kind.startswith('{'):
        raise Wrong(f'{block.place}: "{kind}" is no kind of block')


def check_page(page, compilers):
    """The number of blocks, and why some were left out."""
    blocks, reason = blocks_of(page), ''
    with tempfile.TemporaryDirectory() as folder:
        for block in blocks:
            check_block(block, pathlib.Path(folder), compilers)
        scripts = [block for block in blocks if block.words == ['python']]
        if scripts:
            reason = python(scripts, pathlib.Path(folder))
    if not compilers['cpp'] and any(block.words == ['cpp'] for block in blocks):
        reason = 'there is no C++ compiler'
    return sum(not block.words[0].startswith('{') for block in blocks), reason


def main():
    compilers = {'c': os.environ.get('CC', 'cc').split(), 'cpp': os.environ.get('CXX', 'c++').split()}
    try:
        subprocess.run([*compilers['cpp'], '--version'], stdout=subprocess.DEVNULL, check=True)
    except (OSError, subprocess.CalledProcessError):
        compilers['cpp'] = None
    pages = [pathlib.Path(page).resolve() for page in sys.argv[4:]] or [
        SOURCE / 'README.md', *sorted((SOURCE / 'docs').rglob('*.md'))]
    failed, number = 0, 0
    for page in pages:
        try:
            count, reason = check_page(page, compilers)
            if not count:
                continue
            words = f'{count} blocks' + (f' # SKIP a part: {reason}' if reason else '')
            result = 'ok'
        except Wrong as wrong:
            print(''.join(f'# {line}\n' for line in str(wrong).splitlines()), end='')
            words, result = 'blocks', 'not ok'
            failed += 1
        number += 1
        print(f'{result} {number} - {page.relative_to(SOURCE)}: {words}', flush=True)
    print(f'1..{number}')
    return 1 if failed else 0


sys.exit(main())
