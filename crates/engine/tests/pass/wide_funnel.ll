; A funnel shift of 128 bits.
; end: exit 4
define i32 @main() {
  %p = alloca i128
  store i128 18446744073709551615, ptr %p
  %a = load i128, ptr %p                 ; 2^64 - 1
  %b = call i128 @llvm.fshl.i128(i128 1, i128 %a, i128 64)   ; 1:a, 2^64 and nothing of a
  %e = lshr i128 %b, 62
  %r = trunc i128 %e to i32
  ret i32 %r
}
declare i128 @llvm.fshl.i128(i128, i128, i128)
