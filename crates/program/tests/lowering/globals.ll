%node = type { i8, ptr, i16 }
@bytes = constant [5 x i8] c"ab\00c\00"
@words = global [3 x i32] [i32 1, i32 -2, i32 305419896]
@first = global %node { i8 1, ptr getelementptr (i8, ptr @words, i64 8), i16 -2 }
@cycle = global %node { i8 2, ptr @cycle, i16 0 }
@code = constant [2 x ptr] [ptr @main, ptr null]
@packed = global <{ i8, i64 }> <{ i8 255, i64 72623859790382856 }>
@odd = global { i24, i65 } { i24 -2, i65 -1 }
@floats = global { float, double, x86_fp80, half, fp128 } { float 1.5, double -2.0, x86_fp80 0xK3FFF8000000000000000, half 0xH3C00, fp128 0xL00000000000000003FFF000000000000 }
@signalling = global [2 x float] [float 0x7FF4000000000000, float 0x7FF8000000000000]
@vector = global <3 x i16> <i16 1, i16 2, i16 3>
@bits = global <12 x i1> <i1 1, i1 0, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 1, i1 0, i1 0>
@nibbles = global <3 x i4> <i4 1, i4 2, i4 -1>
@distance = global i64 sub (i64 ptrtoint (ptr @cycle to i64), i64 ptrtoint (ptr @first to i64))
@low = global i16 trunc (i64 ptrtoint (ptr @words to i64) to i16)
@some = global { i32, i32, i64 } { i32 undef, i32 5, i64 poison }
@huge = global [1099511627776 x i8] zeroinitializer
@behind = global i8 9
define i32 @main() {
  ret i32 0
}

@of_thread = thread_local global [2 x i32] [i32 1, i32 2]
define i32 @of_the_running_thread(i1 %c) {
entry:
  br i1 %c, label %then, label %done
then:
  store i32 5, ptr @of_thread
  br label %done
done:
  %p = phi ptr [ @of_thread, %entry ], [ getelementptr (i8, ptr @of_thread, i64 4), %then ]
  %v = load i32, ptr %p
  ret i32 %v
}
