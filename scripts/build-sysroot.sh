#!/usr/bin/env bash
# build-sysroot.sh: musl as bitcode, our start-up code and headers, into build/sysroot. Does nothing where that is
# up to date.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
sysroot="$root/build/sysroot"
stamp=$(cat "$root"/runtime/*.[ch] "$root"/runtime/glibc/* "$root"/runtime/musl/* "$root"/runtime/compiler/* "$root"/runtime/executor/* "$root"/runtime/include/*.h "$root"/runtime/include/*/*.h \
    "$root"/runtime/include/*/*/*.h "$root/scripts/fetch-source.sh" \
    "$root"/scripts/{build-sysroot,native-library}.sh | sha256sum | cut -d' ' -f1)
[ "$(cat "$sysroot/stamp" 2>/dev/null)" = "$stamp" ] && exit 0

"$root/scripts/fetch-source.sh" musl
# Emscripten has LLVM's sources of the compiler's own library, in a tenth of the megabytes of LLVM.
"$root/scripts/fetch-source.sh" emscripten system/lib/compiler-rt/lib/builtins compiler-rt
builtins="$root/build/src/compiler-rt"
musl="$root/build/src/musl"
objects="$root/build/musl-objects"
rm -rf "$sysroot" "$objects"
mkdir -p "$sysroot/lib" "$objects"
echo "setup: building musl as bitcode (a minute)"
make -s -C "$musl" ARCH=x86_64 prefix=/ DESTDIR="$objects/headers" install-headers obj/src/internal/version.h >/dev/null
cp -r "$objects/headers/include" "$sysroot/include"
cp -r "$root"/runtime/include/. "$sysroot/include/"
# Programs declare `__assert_fail` as glibc does, with a line that is unsigned, beside this header.
sed -i '/__assert_fail (const char/s/, int,/, unsigned,/' "$sysroot/include/assert.h"
# Every header of glibc brings its macros for declarations. They stand in a folder of ours, as glibc's own must be found natively.
cp "$root/runtime/include/cleave/cdefs.h" "$sysroot/include/sys/"
sed -i '$ s,^#endif$,#include <sys/cdefs.h>\n\n#endif,' "$sysroot/include/features.h"
# Who is logged in stands where glibc writes it (runtime/glibc/utmp.c).
sed -i -e 's,/dev/null/utmp,/var/run/utmp,' -e 's,/dev/null/wtmp,/var/log/wtmp,' "$sysroot"/include/{paths,utmp}.h
# The program that `cleave compare` explores.
mkdir -p "$sysroot/share"
cp "$root/runtime/compare.c" "$sysroot/share/"
# In C23 these headers are clang's. In others, and in those that we add to, musl's stay.
for header in stdalign stdarg stdbool stddef float; do
    { echo "#if __STDC_VERSION__ >= 202311L"; echo "#include_next <$header.h>"; echo "#else"
        cat "$objects/headers/include/$header.h"; echo "#endif"; } > "$sysroot/include/$header.h"
done
for header in "$root"/runtime/include/cleave/c23/*.h; do
    header=$(basename "$header")
    { echo "#if __STDC_VERSION__ >= 202311L"; echo "#include <cleave/c23/$header>"; echo "#endif"; } >> "$sysroot/include/$header"
done
# BSD's lists and trees of macros, which musl leaves out.
"$root/scripts/fetch-source.sh" libbsd include/bsd/sys bsd-headers
mkdir -p "$sysroot/include/bsd/sys"
cp "$root/build/src/bsd-headers/cdefs.h" "$sysroot/include/bsd/sys/"
for header in queue tree; do
    sed -e '0,/^#ifdef LIBBSD_OVERLAY/s//#include <stdint.h>\n&/' -e 's/__unused static/__attribute__((__unused__)) static/' \
        "$root/build/src/bsd-headers/$header.h" > "$sysroot/include/sys/$header.h"
    echo "#include <sys/$header.h>" > "$sysroot/include/bsd/sys/$header.h"
done

flags=(--target=x86_64-linux-musl -nostdinc -ffreestanding -std=gnu99 -O1 -gline-tables-only -fno-builtin
    -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -fno-strict-aliasing -ffp-contract=off -fno-pic
    -fno-stack-protector -fno-unwind-tables -fno-asynchronous-unwind-tables -w)
libc=(-D_XOPEN_SOURCE=700 "-I$root/runtime/musl" "-I$musl/arch/x86_64" "-I$musl/arch/generic" "-I$musl/obj/src/internal"
    "-I$musl/src/include" "-I$musl/src/internal" "-I$musl/obj/include" "-I$musl/include")
# What the engine does itself, and what needs a linked executable or assembly.
left_out='^src/(malloc|ldso|setjmp)/|^src/env/__init_tls\.c|^src/string/mem(cpy|move|set)\.c|^src/fenv/fenv\.c|^src/process/vfork\.c|^src/thread/(pthread_cancel|__unmapself|clone|__set_thread_area|pthread_spin_(lock|trylock|unlock)|mtx_(lock|trylock|timedlock|unlock)|cnd_(wait|timedwait|signal|broadcast)|call_once|thrd_join|pthread_mutexattr_setprotocol)\.c|^src/signal/(sigsetjmp|siglongjmp|restore)\.c|^src/legacy/utmpx\.c|^src/math/(sqrt|fma|fmod|remainder)[fl]?\.c'
# Functions that read whole words past the end of an object have a plain form for other compilers.
plain='^src/(string/(strlen|memchr|strchrnul|memccpy|stpcpy|stpncpy|strlcpy)|multibyte/mbsrtowcs)\.c'
# What stands behind our own functions of these names (runtime/musl/contracts.c and points.c).
guarded='^src/(thread/(pthread_(mutex_(init|lock|trylock|timedlock|unlock|destroy)|cond_(timedwait|signal|broadcast)|barrier_wait|once|join|rwlock_(unlock|(timed|try)?(rd|wr)lock))|sem_(post|trywait|timedwait|getvalue))|stdio/(fclose|__lockfile|f(try|un)?lockfile)|dirent/closedir)\.c'
# What stands behind those of runtime/musl/settled.c, in the engine alone.
settled='^src/(unistd/(close|dup2|dup3)|stdio/(setvbuf|ext|__stdio_close)|misc/syscall)\.c'
# printf and its kin, to which C23 adds.
formats='^src/stdio/vfw?printf\.c'
compile() {
    local source=$1 extra=() changed=
    [[ $source =~ $plain ]] && extra=(-U__GNUC__)
    if [[ $source =~ $guarded ]]; then
        local name=${source##*/}
        name=${name%.c}
        extra+=("-D$name=__musl_$name" ${plain_names:+-include "$plain_names"})
        # A call that tries before it waits comes to one point, not two.
        [[ $name == sem_timedwait ]] && extra+=(-Dsem_trywait=__musl_sem_trywait)
    fi
    # Under its own path, so that it is told as the C library's.
    if [[ $source =~ $formats ]]; then
        sed -f "$root/runtime/musl/printf.sed" "$musl/$source" > "$objects/${source##*/}"
        changed=$objects/${source##*/}
    fi
    if [[ $source =~ $settled ]]; then
        # Aliases name their functions in a text, which a macro of the compiler's command line does not change.
        sed -E -e 's/\b(close|dup2|(__)?dup3|setvbuf|__flbf|__fpending|(__)?fpurge|__stdio_close)\b/__musl_&/g' -f "$root/runtime/musl/settled.sed" "$musl/$source" > "$objects/${source##*/}"
        changed=$objects/${source##*/}
    fi
    [[ $changed ]] && extra+=("-I$musl/${source%/*}" "-ffile-prefix-map=$objects=$musl/${source%/*}")
    clang-19 "${flags[@]}" "${libc[@]}" "${extra[@]}" -emit-llvm -c "${changed:-$musl/$source}" -o "$objects/${source//\//_}.bc"
}
sources=$(cd "$musl" && find src compat -name '*.c' | grep -vE '^src/[a-z]+/[a-z0-9_]+/|^compat/time32' | grep -vE "$left_out" | sort)
sources+=$'\n'src/malloc/reallocarray.c
export -f compile
export root musl objects plain guarded settled formats
export flags_text="${flags[*]}" libc_text="${libc[*]}"
echo "$sources" | xargs -P "$(nproc)" -n 16 bash -c '
    read -ra flags <<<"$flags_text"; read -ra libc <<<"$libc_text"
    for source; do compile "$source" || exit 255; done' compile
compile_own() { clang-19 "${flags[@]}" -isystem "$sysroot/include" -emit-llvm -c "$1" -o "$2"; }
for source in c11 init_tls cancel cancels contracts fenv math numbers points processes settled signals; do
    clang-19 "${flags[@]}" -fno-math-errno "${libc[@]}" -emit-llvm -c "$root/runtime/musl/$source.c" -o "$objects/$source.bc"
done
for source in c23 intrinsics values atomic_sections fuzz fuzz_mutate; do compile_own "$root/runtime/$source.c" "$objects/$source.bc"; done
for source in "$root"/runtime/glibc/*.c; do compile_own "$source" "$objects/glibc_$(basename "$source" .c).bc"; done
compile_own "$root/runtime/start.c" "$sysroot/lib/start.bc"
# The compiler's own library: but for what is for other systems, what the processor or the engine does itself, and what we have of our own.
# A link takes all of it that the back end could call.
not_ours='^((add|sub|mul|div|neg|compare)[sd]f[23]|extendsfdf2|truncdfsf2|fix(uns)?[sdx]f[sdt]i|float(un)?[sdt]i[sdx]f|apple_versioning|atomic.*|clear_cache|cpu_model|emutls|enable_execute_stack|eprintf|fp_mode|gcc_personality_v0|mingw_fixfloat|os_version_check|trampoline_setup)\.c$'
export builtins sysroot
resources=$(clang-19 -print-resource-dir)
export resources
(cd "$builtins" && ls -- *.c) | grep -vE "$not_ours" | xargs -P "$(nproc)" -n 16 bash -c '
    read -ra flags <<<"$flags_text"
    for source; do
        # In these `long double` stands for `__float128`, as in the float.h of clang.
        [[ $source =~ tf|tc3 ]] && quad=(-mlong-double-128) || quad=()
        clang-19 "${flags[@]}" -std=gnu11 "${quad[@]}" -isystem "$resources/include" -isystem "$sysroot/include" "-I$builtins" -DCOMPILER_RT_HAS_FLOAT16 \
            -emit-llvm -c "$builtins/$source" -o "$objects/compiler_${source%.c}.bc" || exit 255
    done' compile
for source in atomics processor quads rounding; do compile_own "$root/runtime/compiler/$source.c" "$objects/compiler_$source.bc"; done
llvm-ar-19 crs "$sysroot/lib/libc.bc.a" "$objects"/*.bc
# Conversions between numbers and __int128 are libgcc's, as the engine has them; those of clang's archive round otherwise.
(cd "$objects" && llvm-ar-19 x "$(gcc -print-libgcc-file-name)" _fix{,uns}{s,d,x}fdi.o _float{,un}di{s,d,x}f.o)
# Natively: the same intrinsics and checked functions, and what clang's checks call, for replay.
. "$root/scripts/native-library.sh"
native_library --target=x86_64-linux-musl "-I$musl/arch/x86_64" "-I$musl/arch/generic" "-I$musl/obj/src/internal" \
    "-I$musl/src/include" "-I$musl/src/internal" "-I$musl/obj/include" "-I$musl/include"
# The loop around programs that mutated inputs are executed in (crates/toolchain/src/executor.rs).
clang-19 --target=x86_64-linux-musl -nostdinc -isystem "$(clang-19 -print-resource-dir)/include" -O1 -ffreestanding -fno-builtin -fno-stack-protector \
    -fno-pic -fno-omit-frame-pointer -mgeneral-regs-only -mno-red-zone -c "$root/runtime/executor/executor.c" -o "$sysroot/lib/executor.o"
# For programs of the host's own compiler: KLEE's library to run them on a test.
host=("$root"/runtime/{runtest,hints,values}.c)
gcc -std=gnu11 -O1 -fPIC -w "-I$root/runtime/include" -shared -Wl,-soname,libkleeRuntest.so.1.0 "${host[@]}" -o "$sysroot/lib/libkleeRuntest.so.1.0"
ln -sf libkleeRuntest.so.1.0 "$sysroot/lib/libkleeRuntest.so"
echo "$stamp" > "$sysroot/stamp"
echo "setup: the C library is in build/sysroot"
