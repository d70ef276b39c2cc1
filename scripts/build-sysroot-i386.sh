#!/usr/bin/env bash
# build-sysroot-i386.sh: the C library for programs of 32 bits, as bitcode and natively, into build/sysroot/i386. Built when a program
# first asks for it (-m32); does nothing where that is up to date. Needs what build-sysroot.sh has made.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
base="$root/build/sysroot"
sysroot="$base/i386"
stamp=$(cat "$base/stamp" "$root"/runtime/musl-i386/{,thread/}*.* "$root/scripts/build-sysroot-i386.sh" | sha256sum | cut -d' ' -f1)
# Two programs may ask for it at the same time.
exec 9> "$root/build/i386.lock"
flock 9
[ "$(cat "$sysroot/stamp" 2>/dev/null)" = "$stamp" ] && exit 0

builtins="$root/build/src/compiler-rt"
musl="$root/build/src/musl"
objects="$root/build/musl-objects-i386"
own="$root/runtime/musl-i386"
rm -rf "$sysroot" "$objects"
mkdir -p "$sysroot/lib" "$objects/kernel/bits" "$objects/own"
echo "setup: building musl for 32 bits (a minute and a half)"
cp -r "$base/include" "$sysroot/include"
for header in "$musl"/arch/generic/bits/*.h "$musl"/arch/i386/bits/*.h; do cp "$header" "$sysroot/include/bits/"; done
sed -f "$musl/tools/mkalltypes.sed" "$musl/arch/i386/bits/alltypes.h.in" "$musl/include/alltypes.h.in" > "$sysroot/include/bits/alltypes.h"
{ cat "$musl/arch/i386/bits/syscall.h.in"; sed -n -e s/__NR_/SYS_/p "$musl/arch/i386/bits/syscall.h.in"; } > "$sysroot/include/bits/syscall.h"
# The engine's kernel has the numbers of x86-64.
cp "$base/include/bits/syscall.h" "$objects/kernel/bits/"

# Numbers are computed as SSE2 does, here and in the flags of programs; clang's own choice is the x87.
flags=(--target=i386-linux-musl -march=pentium4 -nostdinc -ffreestanding -std=gnu99 -O1 -gline-tables-only -fno-builtin
    -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -fno-strict-aliasing -ffp-contract=off -fno-pic
    -fno-stack-protector -fno-unwind-tables -fno-asynchronous-unwind-tables -w)
libc=(-D_XOPEN_SOURCE=700 "-I$objects/kernel" "-I$own" "-I$root/runtime/musl" "-I$musl/arch/i386" "-I$musl/arch/generic"
    "-I$musl/obj/src/internal" "-I$musl/src/include" "-I$musl/src/internal" "-I$musl/include" "-I$sysroot/include")
# The same sources, changed in the same way, as for 64 bits.
eval "$(sed -n '/^# What the engine does itself/,/^}/p; /^not_ours=/p' "$root/scripts/build-sysroot.sh")"
left_out+='|^src/misc/syscall\.c'
sources=$(cd "$musl" && find src compat -name '*.c' | grep -vE '^src/[a-z]+/[a-z0-9_]+/|^compat/time32' | grep -vE "$left_out" | sort)
sources+=$'\n'src/malloc/reallocarray.c
export -f compile
plain_names=$own/plain_names.h
export root musl objects plain guarded settled formats builtins sysroot plain_names
export flags_text="${flags[*]}" libc_text="${libc[*]}"
echo "$sources" | xargs -P "$(nproc)" -n 16 bash -c '
    read -ra flags <<<"$flags_text"; read -ra libc <<<"$libc_text"
    for source; do compile "$source" || exit 255; done' compile
# Changed copies are told as the files that they come from.
compile_own() { clang-19 "${flags[@]}" "-ffile-prefix-map=$objects=$root/runtime" -isystem "$sysroot/include" -emit-llvm -c "$1" -o "$2"; }
# Main is called by its name: a call through a pointer has to have its very type.
{ echo "int cleave_main(int, char **, char **);"; sed 's/exit(main(/exit(cleave_main(/' "$musl/src/env/__libc_start_main.c"; } > "$objects/__libc_start_main.c"
clang-19 "${flags[@]}" "${libc[@]}" "-ffile-prefix-map=$objects=$musl/src/env" -emit-llvm -c "$objects/__libc_start_main.c" -o "$objects/src_env___libc_start_main.c.bc"
{ cat "$root/runtime/start.c"; echo "int cleave_main(int n, char **arguments, char **variables) { return main(n, arguments, variables); }"; } > "$objects/start.c"
# Where the engine sets errno.
sed 's/errno_val) == 52/errno_val) == 28/' "$root/runtime/musl/init_tls.c" > "$objects/init_tls.c"
# The environment of floating-point numbers has no control word of SSE.
sed '/__mxcsr/d' "$root/runtime/musl/fenv.c" > "$objects/fenv.c"
for source in "$root"/runtime/musl/{c11,cancel,cancels,contracts,math,numbers,points,processes,settled}.c "$objects"/{fenv,init_tls}.c "$own"/*.c; do
    clang-19 "${flags[@]}" -fno-math-errno "${libc[@]}" "-ffile-prefix-map=$objects=$root/runtime/musl" -emit-llvm -c "$source" -o "$objects/own_$(basename "$source" .c).bc"
done
# There are no integers of 128 bits, and those of 64 are `long long`.
narrowed=(-e '/__int128/d' -e 's/\blong \(__VERIFIER_nondet_[su]64(\)/long long \1/' -e 's/long, \(s64\|u64\|int64_t\|uint64_t\))/long long, \1)/')
sed -i "${narrowed[@]}" "$sysroot/include/cleave.h"
sed "${narrowed[@]}" "$root/runtime/intrinsics.c" > "$objects/own/intrinsics.c"
compile_own "$objects/own/intrinsics.c" "$objects/intrinsics.bc"
for source in c23 values atomic_sections fuzz fuzz_mutate; do compile_own "$root/runtime/$source.c" "$objects/$source.bc"; done
for source in "$root"/runtime/glibc/*.c; do compile_own "$source" "$objects/glibc_$(basename "$source" .c).bc"; done
compile_own "$objects/start.c" "$sysroot/lib/start.bc"
# The compiler's own library, without what is for integers and numbers of 128 bits.
resources=$(clang-19 -print-resource-dir)
(cd "$builtins" && ls -- *.c) | grep -vE "$not_ours" | grep -vE 'tf|tc3|ti[0-9s]|ti\.c' | while read -r source; do
    clang-19 "${flags[@]}" -std=gnu11 -isystem "$resources/include" -isystem "$sysroot/include" "-I$builtins" \
        -emit-llvm -c "$builtins/$source" -o "$objects/compiler_${source%.c}.bc"
done
for source in atomics rounding; do compile_own "$root/runtime/compiler/$source.c" "$objects/compiler_$source.bc"; done
llvm-ar-19 crs "$sysroot/lib/libc.bc.a" "$objects"/*.bc
# Natively: musl as the engine has it, behind calls of x86-64 (gate.s), so that replays see the same kernel; its mathematics in C, not in
# instructions of the x87.
native="$root/build/musl-i386"
rm -rf "$native"
cp -r "$musl" "$native"
rm -rf "$native"/{obj,lib,config.mak,src/math/i386,src/process/i386,compat/time32,src/misc/syscall.c}
cp "$own"/{syscall_arch,kstat}.h "$native/arch/i386/"
cp "$native"/arch/{x86_64,i386}/bits/syscall.h.in
cp "$own"/*.c "$own/compat.h" "$native/src/internal/"
cp "$own/gate.s" "$native/src/internal/i386/"
cp "$own"/thread/*.s "$native/src/thread/i386/"
mkdir "$native/src/process/i386"
cp "$own/vfork.s" "$native/src/process/i386/"
(cd "$native" && CC="clang-19 --target=i386-linux-musl" CFLAGS="-O1 -march=pentium4 -ffp-contract=off -fno-strict-aliasing -fno-pic -fno-stack-protector -w -DCLEAVE_NATIVELY" \
    ./configure --target=i386 --disable-shared > configure.log 2>&1 &&
    make -s -j "$(nproc)" AR=llvm-ar-19 RANLIB=llvm-ranlib-19 lib/libc.a lib/crt{1,i,n}.o lib/lib{m,rt,pthread,util,xnet,resolv,dl}.a > make.log 2>&1) || {
    tail -3 "$native"/{configure,make}.log >&2
    exit 1
}
cp "$native"/lib/*.[ao] "$sysroot/lib/"
# What computes with numbers in clang's own library is there for the x87.
for source in {mul,div}{s,d,x}c3 powi{s,d,x}f2; do
    clang-19 "${flags[@]}" -std=gnu11 -isystem "$resources/include" -isystem "$sysroot/include" "-I$builtins" \
        -c "$builtins/$source.c" -o "$objects/compiler_$source.o"
done
. "$root/scripts/native-library.sh"
native_library "--target=i386-linux-musl -march=pentium4" "-I$native/arch/i386" "-I$native/arch/generic" "-I$native/obj/src/internal" \
    "-I$native/src/include" "-I$native/src/internal" "-I$native/obj/include" "-I$native/include"
echo "$stamp" > "$sysroot/stamp"
echo "setup: the C library for 32 bits is in build/sysroot/i386"
