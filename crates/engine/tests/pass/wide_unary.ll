; Bits of 128-bit numbers: counted, and in the other order.
; end: exit 190
define i32 @main() {
  %p = alloca i128
  store i128 18446744073709551615, ptr %p
  %a = load i128, ptr %p                 ; 2^64 - 1
  %n = call i128 @llvm.ctpop.i128(i128 %a)                   ; 64
  %z = call i128 @llvm.ctlz.i128(i128 %a, i1 false)          ; 64
  %s = call i128 @llvm.bswap.i128(i128 %a)
  %t = call i128 @llvm.cttz.i128(i128 %s, i1 false)          ; 64
  %u = add i128 %n, %z
  %v = add i128 %u, %t
  %e = sub i128 %v, 2
  %r = trunc i128 %e to i32
  ret i32 %r
}
declare i128 @llvm.ctpop.i128(i128)
declare i128 @llvm.ctlz.i128(i128, i1)
declare i128 @llvm.bswap.i128(i128)
declare i128 @llvm.cttz.i128(i128, i1)
