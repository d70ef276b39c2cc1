; A product of 128 bits tells whether it overflowed.
; end: exit 20
define i32 @main() {
  %p = alloca i128
  store i128 18446744073709551615, ptr %p
  %a = load i128, ptr %p                 ; 2^64 - 1
  %m = call { i128, i1 } @llvm.umul.with.overflow.i128(i128 %a, i128 %a)
  %o = extractvalue { i128, i1 } %m, 1                       ; it does not: (2^64 - 1)^2
  %v = extractvalue { i128, i1 } %m, 0
  %n = call { i128, i1 } @llvm.umul.with.overflow.i128(i128 %v, i128 2)
  %p2 = extractvalue { i128, i1 } %n, 1
  %x = zext i1 %o to i128
  %y = zext i1 %p2 to i128
  %z = mul i128 %y, 20
  %e = add i128 %x, %z
  %r = trunc i128 %e to i32
  ret i32 %r
}
declare { i128, i1 } @llvm.umul.with.overflow.i128(i128, i128)
