# native-library.sh: the native part of a sysroot, for build-sysroot.sh and build-sysroot-i386.sh, which source it.
# native_library MACHINE FLAG...: the intrinsics, the checked functions, what clang's checks call, and the points of threads, with all
# $objects/*.o that are there, into libcleave-native.a of $sysroot. MACHINE has the flags that name it, FLAG... the folders of the C
# library's own headers. Needs $root, $musl, $objects, $sysroot, $sources and $guarded; $plain_names
# is a header in front of the sources of musl that have other names.
native_library() {
    local machine source name extra natively flags resources
    read -ra machine <<<"$1"
    shift
    resources=$(clang-19 -print-resource-dir)
    # A source that a sysroot has a copy of its own of is $objects/own/SOURCE.
    natively=(c23 native test allocations atomic_sections execute fuzz_mutate fuzz_native hints values intrinsics undefined threads compiler/atomics)
    for source in "$root"/runtime/glibc/*.c; do natively+=("glibc/$(basename "$source" .c)"); done
    for source in "${natively[@]}"; do
        name=$root/runtime/$source.c
        [ ! -e "$objects/own/$source.c" ] || name=$objects/own/$source.c
        clang-19 "${machine[@]}" -nostdinc -isystem "$sysroot/include" -isystem "$resources/include" "-I$root/runtime" \
            -O1 -fno-stack-protector -fno-pic -DCLEAVE_NATIVELY -c "$name" -o "$objects/${source//\//_}.o"
    done
    # The points of threads, in front of a musl that is of the same version; what is behind them has its names.
    flags=("${machine[@]}" -nostdinc -ffreestanding -std=gnu99 -O1 -fno-strict-aliasing -fno-pic -fno-stack-protector
        -ffunction-sections -fno-unwind-tables -fno-asynchronous-unwind-tables -w -DCLEAVE_NATIVELY -D_XOPEN_SOURCE=700 "$@")
    compile_native() { clang-19 "${flags[@]}" "${@:3}" -c "$1" -o "$objects/native_$2.o"; }
    for source in $(grep -E "$guarded" <<<"$sources" | grep -vE '/(fclose|closedir)\.c'); do
        name=$(basename "$source" .c)
        extra=("-D$name=__musl_$name" ${plain_names:+-include "$plain_names"})
        [[ $name == sem_timedwait ]] && extra+=(-Dsem_trywait=__musl_sem_trywait)
        compile_native "$musl/$source" "$name" "${extra[@]}"
    done
    compile_native "$musl/src/thread/pthread_cancel.c" pthread_cancel -Dpthread_cancel=__musl_pthread_cancel \
        -D__syscall_cp_c=__musl___syscall_cp_c -D__testcancel=__musl___testcancel
    for source in c11 cancel cancels contracts points; do compile_native "$root/runtime/musl/$source.c" "$source"; done
    for source in vfprintf vfwprintf; do compile_native "$objects/$source.c" "$source" "-I$musl/src/stdio"; done
    # Debian's musl has no libcrypt.
    for source in "$musl"/src/crypt/*.c; do compile_native "$source" "$(basename "$source" .c)"; done
    llvm-ar-19 crs "$sysroot/lib/libcleave-native.a" "$objects"/*.o
}
