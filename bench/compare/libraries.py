#!/usr/bin/env python3
"""libraries.py MUSL KLIBC [--cleave BIN] [--seconds N] [NAME ...]: compares functions of two C libraries with `cleave compare`.

MUSL and KLIBC are the source trees (build/src/musl after `make sysroot`; Debian's source package klibc). Prints a row a function: its contract,
the verdict, paths, seconds, and the first difference with the outcomes of both."""
import argparse
import os
import subprocess
import tempfile
import time

# Files that functions of klibc need beside their own.
MORE = {"strspn": "strxspn.c", "strcspn": "strxspn.c", "strpbrk": "strxspn.c"}
# Function, source in musl, source in klibc, items of the contract, relation (empty: equal). Parameters are named as musl has them.
FUNCTIONS = [
    ("strlen", "string/strlen.c", "strlen.c", "s: string <= 8", ""),
    ("strnlen", "string/strnlen.c", "strnlen.c", "s[8], n <= 8", ""),
    ("strcmp", "string/strcmp.c", "strcmp.c", "l: string <= 6, r: string <= 6", "(old.result < 0) == (new.result < 0) && (old.result > 0) == (new.result > 0)"),
    ("strncmp", "string/strncmp.c", "strncmp.c", "_l: string <= 6, _r: string <= 6", "(old.result < 0) == (new.result < 0) && (old.result > 0) == (new.result > 0)"),
    ("strcasecmp", "string/strcasecmp.c", "strcasecmp.c", "_l: string <= 4, _r: string <= 4", "(old.result < 0) == (new.result < 0) && (old.result > 0) == (new.result > 0)"),
    ("strncasecmp", "string/strncasecmp.c", "strncasecmp.c", "_l: string <= 4, _r: string <= 4", "(old.result < 0) == (new.result < 0) && (old.result > 0) == (new.result > 0)"),
    ("strcpy", "string/strcpy.c", "strcpy.c", "dest[9], src: string <= 8", ""),
    ("strncpy", "string/strncpy.c", "strncpy.c", "d[8], s: string <= 8, n <= 8", ""),
    ("strcat", "string/strcat.c", "strcat.c", "dest[9], dest[4] == 0, src: string <= 4", ""),
    ("strncat", "string/strncat.c", "strncat.c", "d[9], d[4] == 0, s: string <= 4", ""),
    ("strspn", "string/strspn.c", "strspn.c", "s: string <= 4, c: string <= 3", ""),
    ("strcspn", "string/strcspn.c", "strcspn.c", "s: string <= 4, c: string <= 3", ""),
    ("strpbrk", "string/strpbrk.c", "strpbrk.c", "s: string <= 4, b: string <= 3", ""),
    ("strstr", "string/strstr.c", "strstr.c", "h: string <= 6, n: string <= 3", ""),
    ("strdup", "string/strdup.c", "strdup.c", "s: string <= 6", ""),
    ("strndup", "string/strndup.c", "strndup.c", "s: string <= 6, n <= 8", ""),
    ("strlcpy", "string/strlcpy.c", "strlcpy.c", "d[8], s: string <= 8, n <= 8", ""),
    ("strlcat", "string/strlcat.c", "strlcat.c", "d[8], s: string <= 6, n <= 8", ""),
    ("memchr", "string/memchr.c", "memchr.c", "src[n], n <= 8", ""),
    ("memcmp", "string/memcmp.c", "memcmp.c", "vl[n], vr[n], n <= 8", "(old.result < 0) == (new.result < 0) && (old.result > 0) == (new.result > 0)"),
    ("memmem", "string/memmem.c", "memmem.c", "h0[k], k <= 6, n0[l], l <= 3", ""),
    ("memccpy", "string/memccpy.c", "memccpy.c", "dest[8], src[8], n <= 8", ""),
    ("strtok_r", "string/strtok_r.c", "strtok_r.c", "s: string <= 4, sep: string <= 2, p", ""),
    ("strsep", "string/strsep.c", "strsep.c", "str, *str: string <= 4, sep: string <= 2", ""),
    ("memcpy", "string/memcpy.c", "memcpy.c", "dest[8], src[n], n <= 8", ""),
    ("memmove", "string/memmove.c", "memmove.c", "dest[8], src[n], n <= 8", ""),
    ("memset", "string/memset.c", "memset.c", "dest[8], n <= 8", ""),
    ("fnmatch", "regex/fnmatch.c", "fnmatch.c", "pat: string <= 3, str: string <= 3, flags = 0", "old.result == 0 <==> new.result == 0"),
]
# Functions on characters are true or not; two of them give a character.
for name in ("isalnum", "isalpha", "isascii", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct", "isspace", "isupper", "isxdigit"):
    FUNCTIONS.append((name, f"ctype/{name}.c", f"ctype/{name}.c", "-1 <= c <= 255", "!old.result == !new.result"))
for name in ("tolower", "toupper"):
    FUNCTIONS.append((name, f"ctype/{name}.c", f"ctype/{name}.c", "-1 <= c <= 255", ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("musl")
    parser.add_argument("klibc")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--cleave", default="target/checked/cleave")
    parser.add_argument("--seconds", type=int, default=20)
    options = parser.parse_args()
    cleave, musl, klibc = (os.path.abspath(path) for path in (options.cleave, options.musl, options.klibc))
    for function, old, new, items, relation in FUNCTIONS:
        if options.names and function not in options.names:
            continue
        # Neither is to be taken for the library's own function of the name.
        name = "version_of_" + function
        rename = f"-D{function}={name}"
        command = [cleave, "compare", "--max-time", str(options.seconds), "--unchecked", "--entry-point", f"{name}({items})"]
        if relation:
            command += ["--relate", relation]
        for folder in ("src/internal", "src/include", "arch/x86_64", "arch/generic"):
            command.append(f"--old-flag=-I{musl}/{folder}")
        command += [f"--flag={rename}", "--old-flag=-D_GNU_SOURCE", "--new-flag=-D_GNU_SOURCE", f"--new-flag=-I{klibc}/usr/klibc",
                    # Files of its own that no library of ours has; musl reads by words beyond the ends of strings only for GCC.
                    f"--new-flag=-idirafter{klibc}/usr/include", "--old-flag=-U__GNUC__"]
        if function in MORE:
            command.append(f"--new-source={klibc}/usr/klibc/{MORE[function]}")
        start = time.time()
        with tempfile.TemporaryDirectory() as folder:
            if old.startswith("ctype/"):
                # Their headers have macros of the names, so that renaming breaks them: functions beside call them.
                command = [word for word in command if word != f"--flag={rename}" and not word.startswith("--new-flag=-I") and "idirafter" not in word and "_GNU_SOURCE" not in word]
                command += [f"--new-flag=-I{klibc}/usr/include", f"--new-source={klibc}/usr/klibc/ctypes.c"]
                beside = f"int {name}(int c) {{ return {function}(c); }}\n"
                undefined = f"#include <ctype.h>\n#undef {function}\n"
                open(f"{folder}/old.c", "w").write(f'{undefined}#include "{musl}/src/{old}"\n{beside}')
                open(f"{folder}/new.c", "w").write(f'#include "{klibc}/usr/klibc/{new}"\n{beside}')
                command += ["old.c", "new.c"]
            else:
                command += [f"{musl}/src/{old}", f"{klibc}/usr/klibc/{new}"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        seconds = time.time() - start
        lines = done.stdout.splitlines()
        paths = lines[0].split(" in ")[0] if lines else "-"
        verdict = lines[-1] if lines else "error: " + " | ".join(done.stderr.splitlines()[-3:])[:300]
        print(f"{function:12} {verdict:45} {paths:14} {seconds:5.1f} s   {items}", flush=True)
        for line in lines:
            if line.startswith(("not so", "  inputs", "  old:", "  new:")) or " (out-of-bounds" in line or "undefined" in line:
                print("    " + line.strip()[:200], flush=True)


if __name__ == "__main__":
    main()
