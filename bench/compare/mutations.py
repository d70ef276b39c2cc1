#!/usr/bin/env python3
"""mutations.py [--cleave BIN] [--seed N] [--count N] [NAME ...]: `cleave compare` beside brute force on mutations of small functions.

Each of ten functions `int f(const unsigned char *data, unsigned n)` is changed at random places: an operator, a constant, a condition. Cleave compares
the change with the original on all inputs of up to three bytes. The judge runs both natively on all inputs of up to three bytes over the interesting ones:
a difference that it finds and Cleave does not is a wrong answer. A difference that Cleave tells was replayed natively by Cleave itself."""
import argparse
import os
import random
import re
import subprocess
import tempfile

FUNCTIONS = {
    "sum": "int s = 0; for (unsigned i = 0; i < n; i++) s = s * 31 + data[i]; return s & 255;",
    "count": "int k = 0; for (unsigned i = 0; i < n; i++) if (data[i] >= '0' && data[i] <= '9') k++; return k;",
    "number": "int v = 0; for (unsigned i = 0; i < n && data[i] >= '0' && data[i] <= '9'; i++) v = v * 10 + (data[i] - '0'); return v;",
    "nesting": "int d = 0; for (unsigned i = 0; i < n; i++) { if (data[i] == '(') d++; else if (data[i] == ')' && d-- == 0) return -1; } return d;",
    "longest": "int best = 0, run = 0; for (unsigned i = 0; i < n; i++) { run = i > 0 && data[i] == data[i - 1] ? run + 1 : 1; if (run > best) best = run; } return best;",
    "hex": "int v = 0; for (unsigned i = 0; i < n; i++) { int c = data[i] | 32; if (data[i] >= '0' && data[i] <= '9') v = v * 16 + data[i] - '0'; else if (c >= 'a' && c <= 'f') v = v * 16 + c - 'a' + 10; else return -1; } return v;",
    "utf8": "unsigned i = 0; int k = 0; while (i < n) { if (data[i] < 128) i++; else if ((data[i] & 224) == 192) { if (i + 1 >= n || (data[i + 1] & 192) != 128) return -1; i += 2; } else return -2; k++; } return k;",
    "sorted": "for (unsigned i = 1; i < n; i++) if (data[i - 1] > data[i]) return 0; return 1;",
    "crc": "unsigned c = 255; for (unsigned i = 0; i < n; i++) { c ^= data[i]; for (int b = 0; b < 4; b++) c = c & 1 ? (c >> 1) ^ 140 : c >> 1; } return c;",
    "wildcard": "if (n < 2) return -1; if (data[0] == '*') return 1; if (data[0] == '?') return data[1] != 0; return data[0] == data[1];",
}
OPERATORS = {"<": ["<=", ">"], "<=": ["<", "=="], ">": [">=", "<"], ">=": [">", "<="], "==": ["!=", ">="], "!=": ["=="], "+": ["-", "|"], "-": ["+"],
             "*": ["+"], "&&": ["||"], "||": ["&&"], "&": ["|", "^"], "|": ["&", "^"], "^": ["|"], ">>": ["<<"], "++": ["--"]}
TOKEN = re.compile(r"'.'|[A-Za-z_]\w*|\d+|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%^|&]=|\S|\s+")
BRUTE = """
#include <stdio.h>
#include "old.c"
#define f g
#include "new.c"
#undef f
static const unsigned char some[] = {0, 1, 2, 31, 32, 40, 41, 42, 47, 48, 49, 57, 58, 63, 64, 65, 70, 71, 96, 97, 98, 102, 103, 127, 128, 129, 191, 192, 193, 223, 224, 254, 255};
enum { N = sizeof some };
int main(void)
{
	unsigned char d[3];
	for (unsigned n = 0; n <= 3; n++)
		for (int a = 0; a < N; a++)
			for (int b = 0; b < N; b++)
				for (int c = 0; c < N; c++) {
					d[0] = some[a]; d[1] = some[b]; d[2] = some[c];
					if (f(d, n) != g(d, n)) { printf("%u: %d %d %d\\n", n, d[0], d[1], d[2]); return 1; }
				}
	return 0;
}
"""


def mutated(text, rng):
    words = TOKEN.findall(text)
    places = [i for i, w in enumerate(words) if w in OPERATORS or w.isdigit() or (len(w) == 3 and w[0] == "'")]
    at = rng.choice(places)
    word = words[at]
    if word in OPERATORS:
        words[at] = rng.choice(OPERATORS[word])
    elif word.isdigit():
        words[at] = str(max(0, int(word) + rng.choice([-1, 1])))
    else:
        words[at] = str(ord(word[1]) + rng.choice([-1, 1]))
    return "".join(words)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="functions; default is all")
    parser.add_argument("--cleave", default="target/checked/cleave")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args()
    cleave = os.path.abspath(options.cleave)
    rng = random.Random(options.seed)
    wrong = 0
    for name, body in FUNCTIONS.items():
        if options.names and name not in options.names:
            continue
        told = {"differ": 0, "agree": 0, "bug": 0, "open": 0}
        known = set()
        for _ in range(options.count):
            new = mutated(body, rng)
            if new in known:
                continue
            known.add(new)
            with tempfile.TemporaryDirectory() as folder:
                for file, text in (("old.c", body), ("new.c", new)):
                    with open(f"{folder}/{file}", "w") as out:
                        out.write(f"int f(const unsigned char *data, unsigned n) {{ {text} }}\n")
                with open(f"{folder}/brute.c", "w") as out:
                    out.write(BRUTE)
                command = [cleave, "compare", "--max-time", "20", "--unchecked", "--entry-point", "f(data[n], n <= 3)", "old.c", "new.c"]
                said = subprocess.run(command, cwd=folder, capture_output=True, text=True)
                verdict = (said.stdout.splitlines() or [said.stderr[-200:]])[-1]
                subprocess.run(["gcc", "-w", "-O1", "-o", "brute", "brute.c"], cwd=folder, check=True)
                try:
                    judge = subprocess.run(["./brute"], cwd=folder, capture_output=True, text=True, timeout=10)
                    differs, shown = judge.returncode != 0, judge.stdout.strip()
                except subprocess.TimeoutExpired:
                    differs, shown = True, "does not end"
            kind = "differ" if "old and new differ" in verdict else "open" if "so far" in verdict else "bug" if "bug" in verdict else "agree"
            told[kind] += 1
            if kind == "agree" and (differs or "agree on all" not in verdict):
                wrong += 1
                print(f"WRONG {name}: {new}\n  natively {shown}; {verdict}", flush=True)
        print(f"{name:10} " + ", ".join(f"{count} {kind}" for kind, count in told.items()), flush=True)
    print(f"{wrong} wrong answers")


if __name__ == "__main__":
    main()
