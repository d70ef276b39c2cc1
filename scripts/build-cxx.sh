#!/usr/bin/env bash
# build-cxx.sh: libc++, libc++abi and an unwinder for C++, as bitcode and natively, into build/sysroot. `cleave c++` calls it
# when it is first used. Does nothing where that is up to date.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
sysroot="$root/build/sysroot"
stamp=$(cat "$sysroot/stamp" "$root"/runtime/cxx/* "$root/scripts/build-cxx.sh" | sha256sum | cut -d' ' -f1)
up_to_date() { [ "$(cat "$sysroot/stamp-cxx" 2>/dev/null)" = "$stamp" ]; }
up_to_date && exit 0
# Of several that come here at once one builds.
exec 9> "$root/build/cxx.lock"
flock 9
up_to_date && exit 0

"$root/scripts/fetch-source.sh" llvm-toolchain-19 "libcxx libcxxabi libunwind" llvm-cxx
src="$root/build/src/llvm-cxx"
objects="$root/build/cxx-objects"
headers="$sysroot/include/c++/v1"
rm -rf "$objects" "$headers" "$sysroot/stamp-cxx"
mkdir -p "$objects" "$headers"
echo "setup: building libc++ (a minute and a half)"
cp -r "$src/libcxx/include/." "$src"/libcxxabi/include/*.h "$src"/libunwind/include/*unwind*.h "$headers/"
rm -f "$headers"/CMakeLists.txt "$headers"/__config_site.in
cp "$root/runtime/cxx/config_site.h" "$headers/__config_site"
cp "$root/runtime/cxx/assertion_handler.h" "$headers/__assertion_handler"
mkdir -p "$objects/include/linux"
cp "$root/runtime/cxx/futex.h" "$objects/include/linux/futex.h"

resources=$(clang-19 -print-resource-dir)
# As musl, but optimised: without it each call of a template is one.
flags=(--target=x86_64-linux-musl -nostdinc -nostdinc++ -O2 -gline-tables-only -fno-vectorize -fno-slp-vectorize -fno-unroll-loops
    -fno-strict-aliasing -ffp-contract=off -fmath-errno -fno-pic -fno-stack-protector -fno-unwind-tables
    -fno-asynchronous-unwind-tables -ffunction-sections -DNDEBUG -w)
include=(-isystem "$headers" -isystem "$sysroot/include" -isystem "$resources/include" -isystem "$objects/include")
cxx=(-std=c++23 -D_LIBCPP_BUILDING_LIBRARY -D_LIBCXXABI_BUILDING_LIBRARY -DLIBCXX_BUILDING_LIBCXXABI -D_GNU_SOURCE
    "-I$src/libcxx/src" "-I$src/libcxxabi/src" "-I$src/libcxxabi/include")
# Sources for other systems, or for a library without exceptions.
left_out='libcxx/src/(pstl|experimental|support)/|libcxxabi/src/(cxa_noexception|abort_message)\.cpp|libcxx/src/(new|legacy_pointer_safety|verbose_abort)\.cpp'
sources=$(cd "$src" && find libcxx/src libcxxabi/src -name '*.cpp' ! -path '*/vendor/*' ! -path '*/demangle/*' | grep -vE "$left_out" | sort)
compile() {
    local object="$objects/${1//\//_}" more=()
    # There is a call for what random_device would read from a file.
    [[ $1 != */random.cpp ]] || more=(-D_LIBCPP_USING_GETENTROPY -include unistd.h)
    clang++-19 "${flags[@]}" "${include[@]}" "${cxx[@]}" "${more[@]}" -emit-llvm -c "$src/$1" -o "$object.bc" || return
    # Natively the same code, but for what a debugger would ask.
    clang-19 --target=x86_64-linux-musl -O1 -fno-pic -ffunction-sections -w -x ir -c "$object.bc" -o "$object.o"
}
export -f compile
export objects src
export flags_text="${flags[*]}" include_text="${include[*]}" cxx_text="${cxx[*]}"
echo "$sources" | xargs -P "$(nproc)" -n 1 bash -c '
    read -ra flags <<<"$flags_text"; read -ra include <<<"$include_text"; read -ra cxx <<<"$cxx_text"
    for source; do compile "$source" || exit 255; done' compile
clang++-19 "${flags[@]}" "${include[@]}" "${cxx[@]}" -emit-llvm -c "$root/runtime/cxx/terminate.cpp" -o "$objects/terminate.bc"
clang-19 "${flags[@]}" "${include[@]}" -fexceptions -emit-llvm -c "$root/runtime/cxx/unwind.c" -o "$objects/unwind.bc"
# For C with clean-ups; natively the compiler's archive has it.
clang-19 "${flags[@]}" "${include[@]}" -fexceptions "-I$root/build/src/compiler-rt" -emit-llvm -c "$root/build/src/compiler-rt/gcc_personality_v0.c" \
    -o "$objects/gcc_personality.bc"
clang-19 "${flags[@]}" "${include[@]}" -emit-llvm -c "$root/runtime/cxx/dso.c" -o "$objects/dso.bc"
# Natively the C library has these.
clang-19 "${flags[@]}" "${include[@]}" -emit-llvm -c "$root/runtime/cxx/modules.c" -o "$objects/modules.bc"
clang-19 "${flags[@]}" "${include[@]}" -c "$root/runtime/cxx/dso.c" -o "$objects/dso.o"
for source in libcxxabi/src/abort_message libcxx/src/verbose_abort; do
    clang++-19 "${flags[@]}" "${include[@]}" "${cxx[@]}" -c "$src/$source.cpp" -o "$objects/${source##*/}.o"
done
# LLVM's unwinder. It takes no locks: these would be points at which threads change.
native=("${flags[@]}" "${include[@]}" -funwind-tables -D_LIBUNWIND_IS_NATIVE_ONLY -D_LIBUNWIND_HAS_NO_THREADS "-I$src/libunwind/src"
    "-I$src/libunwind/include")
clang++-19 "${native[@]}" -fno-exceptions -fno-rtti -std=c++17 -c "$src/libunwind/src/libunwind.cpp" -o "$objects/libunwind.o"
for source in UnwindLevel1.c UnwindLevel1-gcc-ext.c UnwindRegistersSave.S UnwindRegistersRestore.S; do
    clang-19 "${native[@]}" -fexceptions -c "$src/libunwind/src/$source" -o "$objects/$source.o"
done
llvm-strip-19 --strip-debug "$objects"/*.o
rm -f "$sysroot"/lib/libc++*.a
llvm-ar-19 crs "$sysroot/lib/libc++.bc.a" "$objects"/*.bc
llvm-ar-19 crs "$sysroot/lib/libc++-native.a" "$objects"/*.o
echo "$stamp" > "$sysroot/stamp-cxx"
echo "setup: the C++ library is in build/sysroot"
