#!/usr/bin/env python3
"""musl_mutations.py MUSL [--cleave BIN] [--seed N] [--count N] [--seconds N] [NAME ...]: `cleave compare` beside brute force on mutations of functions of musl.

MUSL is musl's source tree (build/src/musl after `make sysroot`). Each function is changed at random places: a constant by one, `<` for `<=`, `+` for `-`, a
statement that is removed, and the like. Cleave compares the change with the original on all inputs up to a size. The judge runs both natively on all inputs
up to this size over an alphabet. A difference that it finds and Cleave does not, and a difference of Cleave's that is none natively, is a wrong answer."""
import argparse
import os
import random
import re
import subprocess
import tempfile

OPERATORS = {"<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"], "==": ["!="], "!=": ["=="], "+": ["-"], "-": ["+"], "&&": ["||"], "||": ["&&"],
             "++": ["--"], "--": ["++"], "+=": ["-="], "&": ["|"], "|": ["&"], "<<": [">>"]}
TOKEN = re.compile(r"/\*.*?\*/|'(?:\\.|[^'])'|\"(?:\\.|[^\"])*\"|[A-Za-z_]\w*|\d\w*|->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%^|&]=|\S|\s+", re.S)
LETTERS = "static const char letters[] = {%s};\nenum { LETTERS = sizeof letters };\n"
# All strings of up to `most` letters: the next one, or 0.
HEAD = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int next(unsigned char *at, int *length, int most)
{
	for (int i = 0; i < *length; i++) {
		if (++at[i] < LETTERS)
			return 1;
		at[i] = 0;
	}
	if (*length == most)
		return 0;
	at[(*length)++] = 0;
	return 1;
}
/* In front of and behind the bytes are others, so that reads beyond them find the same at both times. */
static char *text(char *room, const unsigned char *at, int length)
{
	memset(room, 'x', 64);
	for (int i = 0; i < length; i++)
		room[32 + i] = letters[at[i]];
	room[32 + length] = 0;
	return room + 32;
}
static void different(void) { puts("differ"); exit(1); }
"""
TWO = """
int main(int argc, char **argv)
{
	unsigned char a[8] = {0}, b[8] = {0};
	int n = 0;
	do {
		int m = 0;
		do
			once(a, n, b, m);
		while (next(b, &m, B));
	} while (next(a, &n, A));
	return 0;
}
"""
SIGN = "(old.result < 0) == (new.result < 0) && (old.result > 0) == (new.result > 0)"
# name: file, contract, relation, letters, numbers of them, statements that run both on the inputs (a, n) and (b, m)
FUNCTIONS = {
    "strverscmp": ("src/string/strverscmp.c", "l0: string <= 3, r0: string <= 3", SIGN, "'0','1','9','a',':','/'", (3, 3),
                   "int x = old_strverscmp(text(p, a, n), text(q, b, m)), y = new_strverscmp(p + 32, q + 32); if ((x < 0) != (y < 0) || (x > 0) != (y > 0)) different();"),
    "memmem": ("src/string/memmem.c", "h0[k], k <= 6, n0[l], l <= 5", "", "0,1,-1", (6, 5),
               "if (old_memmem(text(p, a, n), n, text(q, b, m), m) != new_memmem(p + 32, n, q + 32, m)) different();"),
    "fnmatch": ("src/regex/fnmatch.c", "pat: string <= 3, str: string <= 2, flags = 0", "old.result == 0 <==> new.result == 0", "'a','*','?','[',']','-','!','\\\\','b'", (3, 2),
                "if (!old_fnmatch(text(p, a, n), text(q, b, m), 0) != !new_fnmatch(p + 32, q + 32, 0)) different();"),
    "inet_pton": ("src/network/inet_pton.c", "af = 2, s: string <= 8, a0[4]", "", "'0','1','2','5','.','a'", (8, 0),
                  "unsigned char x[4] = {0}, y[4] = {0}; if (old_inet_pton(2, text(p, a, n), x) != new_inet_pton(2, p + 32, y) || memcmp(x, y, 4)) different();"),
    "strlcpy": ("src/string/strlcpy.c", "d[4], s: string <= 4, n <= 4", "", "'a','b'", (4, 4),
                "text(p, a, n); if (old_strlcpy(memset(q, 9, 64), p + 32, m) != new_strlcpy(memset(r, 9, 64), p + 32, m) || memcmp(q, r, 64)) different();"),
}


def places(words, start):
    """Numbers of the words that can be changed, with what they become."""
    all_places = []
    for i, word in enumerate(words[start:], start):
        if word in OPERATORS and not (word in "-+&" and words[i - 1].strip() == "" and words[i - 2] in "(,=?:"):
            all_places += [(i, new) for new in OPERATORS[word]]
        elif re.fullmatch(r"\d+", word):
            all_places += [(i, str(int(word) + 1)), (i, str(max(0, int(word) - 1)))]
        elif re.fullmatch(r"'[^\\]'", word):
            all_places += [(i, str(ord(word[1]) + 1)), (i, str(ord(word[1]) - 1))]
    return all_places


def statements(words, start):
    """Ranges of words that are statements of an expression."""
    found, depth = [], 0
    begin = None
    for i in range(start, len(words)):
        word = words[i]
        depth += word in "([" if word.strip() else 0
        depth -= word in ")]" if word.strip() else 0
        if depth:
            continue
        if word in "{};" and word.strip():
            if word == ";" and begin is not None:
                first = "".join(words[begin:i]).split()
                if first and not re.match(r"(for|if|while|do|else|return|goto|break|continue|switch|case|default|int|unsigned|size_t|char|const|struct|uint\w+|static)\b", "".join(words[begin:i]).strip()):
                    found.append((begin, i))
            begin = i + 1
    return found


def mutated(text, name, rng):
    words = TOKEN.findall(text)
    start = 0
    while not (words[start] == name and "{" in "".join(words[start:start + 60])):
        start += 1
    # Helpers in front of the function count as well: from the first body on.
    first = next(i for i, word in enumerate(words) if word == "{" and i > 0)
    removable = statements(words, first)
    changes = places(words, first)
    if rng.random() < 0.2 and removable:
        begin, end = rng.choice(removable)
        return "".join(words[:begin] + [" "] + words[end:])
    at, new = rng.choice(changes)
    return "".join(words[:at] + [new] + words[at + 1:])


def differing_line(old, new):
    for a, b in zip(old.splitlines(), new.splitlines()):
        if a != b:
            return f"{a.strip()}  ->  {b.strip()}"
    return "nothing"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("musl")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--cleave", default="target/checked/cleave")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=30)
    options = parser.parse_args()
    cleave, musl = os.path.abspath(options.cleave), os.path.abspath(options.musl)
    wrong = 0
    for name, (file, items, relation, letters, sizes, once) in FUNCTIONS.items():
        if options.names and name not in options.names:
            continue
        rng = random.Random(f"{options.seed}-{name}")
        with open(f"{musl}/{file}") as source:
            text = source.read()
        text = re.sub(r"^weak_alias.*$", "", text, flags=re.M)
        told, known = {}, set()
        while len(known) < options.count:
            new = mutated(text, name, rng)
            if new in known or new == text:
                continue
            known.add(new)
            kind, judged, said = one(options, cleave, musl, name, text, new, items, relation, letters, sizes, once)
            if kind == "compiler":
                known.discard(new)
                text_of = known  # keep the number of mutations that compile
                known.add(new)
                told["does not compile"] = told.get("does not compile", 0) + 1
                continue
            bad = (kind == "agree" and judged == "differ") or (kind == "differ" and judged == "no difference natively")
            wrong += bad
            key = kind if kind in ("differ", "agree") else kind
            told[f"{key} / {judged}"] = told.get(f"{key} / {judged}", 0) + 1
            print(f"{'WRONG ' if bad else ''}{name}: {differing_line(text, new)}: {kind}; judge: {judged}; {said}", flush=True)
        print(f"== {name}: " + ", ".join(f"{count} {what}" for what, count in sorted(told.items())), flush=True)
    print(f"{wrong} wrong answers")


def one(options, cleave, musl, name, old, new, items, relation, letters, sizes, once):
    flags = [f"-I{musl}/{folder}" for folder in ("src/internal", "src/include", "arch/x86_64", "arch/generic")] + ["-D_GNU_SOURCE", "-U__GNUC__", f"-D{name}=my_{name}"]
    with tempfile.TemporaryDirectory() as folder:
        for which, text in (("old", old), ("new", new)):
            with open(f"{folder}/{which}.c", "w") as out:
                out.write(text)
        command = [cleave, "compare", "--max-time", str(options.seconds), "--unchecked", "--entry-point", f"my_{name}({items})"]
        command += ["--relate", relation] if relation else []
        done = subprocess.run(command + [f"--flag={flag}" for flag in flags] + ["old.c", "new.c"], cwd=folder, capture_output=True, text=True)
        lines = done.stdout.splitlines()
        verdict = lines[-1] if lines else ""
        if not lines:
            if "error:" in done.stderr:
                return "compiler", "", done.stderr[:200]
            return "ERROR", "", done.stderr[-300:]
        kind = "differ" if "old and new differ" in verdict else "agree" if verdict.endswith("agree on all these inputs") else "bug" if "but those of bugs" in verdict else "open"
        if kind == "open" and "before the comparison" in verdict:
            kind = "open, bug"
        # The judge: both natively with the host's compiler.
        with open(f"{folder}/brute.c", "w") as out:
            out.write(LETTERS % letters + HEAD)
            out.write("static char p[64], q[64], r[64];\n")
            for which in ("old", "new"):
                out.write({"strverscmp": "int {0}_strverscmp(const char *, const char *);", "memmem": "void *{0}_memmem(const void *, size_t, const void *, size_t);",
                           "fnmatch": "int {0}_fnmatch(const char *, const char *, int);", "inet_pton": "int {0}_inet_pton(int, const char *, void *);",
                           "strlcpy": "size_t {0}_strlcpy(char *, const char *, size_t);"}[name].format(which) + "\n")
            out.write(f"enum {{ A = {sizes[0]}, B = {sizes[1]} }};\nstatic void once(unsigned char *a, int n, unsigned char *b, int m) {{ {once} }}\n{TWO}")
        native = dict(os.environ, CLEAVE_CC_NATIVE_ONLY="1")
        own = flags[:-1]
        for which in ("old", "new"):
            subprocess.run([cleave, "cc", "-w", "-O1", "-fno-builtin", *own, f"-D{name}={which}_{name}", "-c", "-o", f"{which}.o", f"{which}.c"], cwd=folder, check=True, env=native)
        subprocess.run([cleave, "cc", "-w", "-O1", "-o", "brute", "brute.c", "old.o", "new.o"], cwd=folder, check=True, env=native)
        try:
            judge = subprocess.run(["./brute"], cwd=folder, capture_output=True, text=True, timeout=20)
            judged = "agree" if judge.returncode == 0 else "differ" if judge.returncode == 1 else "crash"
        except subprocess.TimeoutExpired:
            judged = "no end"
        shown = [line.strip() for line in lines if line.startswith(("  inputs", "  old:", "  new:"))][:3]
        # What Cleave tells was run natively by it: the outcomes differ there.
        if kind == "differ" and judged == "agree":
            outcomes = [line[5:] for line in shown if line.startswith(("old:", "new:"))]
            judged = "differ outside of the letters" if len(outcomes) == 2 and outcomes[0] != outcomes[1] else "no difference natively"
        return kind, judged, (lines[0].split(" in ")[0] + "; " + "; ".join(shown)) if kind == "differ" else lines[0].split(" in ")[0] + "; " + "; ".join(line.strip()[:90] for line in lines[1:3])


if __name__ == "__main__":
    main()
