; The greatest number of 128 bits stops additions.
; end: exit 77
define i32 @main() {
  %p = alloca i128
  store i128 18446744073709551615, ptr %p
  %a = load i128, ptr %p                 ; 2^64 - 1
  %minus = sub i128 0, 1
  %b = call i128 @llvm.uadd.sat.i128(i128 %minus, i128 %a)   ; 2^128 - 1
  %c = call i128 @llvm.smax.i128(i128 %b, i128 77)           ; -1 < 77
  %e = call i128 @llvm.umin.i128(i128 %b, i128 %c)
  %r = trunc i128 %e to i32
  ret i32 %r
}
declare i128 @llvm.uadd.sat.i128(i128, i128)
declare i128 @llvm.smax.i128(i128, i128)
declare i128 @llvm.umin.i128(i128, i128)
