#!/usr/bin/env python3
"""picture.py OUT.svg COMMAND...: runs shell commands in the repository, and draws them with what they print as a terminal.

    scripts/picture.py docs/images/bug.svg 'sed -n 5,11p examples/parse.c' \
        'cleave run examples/parse.c --sym-arg 6 | grep -v written' 'cleave explain cleave-last 2 | tail -1'

Long lines are cut. `cleave` is the one on the PATH.
"""
import html
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS, LINE, CHARACTER, EDGE = 118, 19, 7.83, 16
COLOURS = [(r"^\$ ", "#7ee787"), (r"out-of-bounds|smallest input|the assertion", "#ff7b72"), (r"->", "#79c0ff")]


def printed(commands):
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "examples").symlink_to(ROOT / "examples")
        for command in commands:
            yield f"$ {command}"
            done = subprocess.run(["bash", "-c", command], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            yield from (re.sub(r" in [0-9.]+ s \(.*?\):", ":", line) for line in done.stdout.splitlines())


def drawn(lines):
    width, height = int(COLUMNS * CHARACTER) + 2 * EDGE, len(lines) * LINE + 2 * EDGE
    yield f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
    yield f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>'
    yield '<g font-family="ui-monospace,Menlo,Consolas,monospace" font-size="13" xml:space="preserve">'
    for i, line in enumerate(lines):
        colour = next((colour for pattern, colour in COLOURS if re.search(pattern, line)), "#e6edf3")
        shown = line if len(line) <= COLUMNS else line[: COLUMNS - 1] + "…"
        yield f'<text x="{EDGE}" y="{EDGE + LINE * i + 13}" fill="{colour}">{html.escape(shown)}</text>'
    yield "</g></svg>"


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    Path(sys.argv[1]).write_text("\n".join(drawn(list(printed(sys.argv[2:])))) + "\n")
