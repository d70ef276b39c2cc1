; Bytes and bits in the other order, counts of bits, the absolute value.
; end: exit 64
define i32 @main() {
  %p = alloca i32
  store i32 -2147483632, ptr %p                        ; 80000010
  %a = load i32, ptr %p
  %swapped = call i32 @llvm.bswap.i32(i32 %a)          ; 10000080
  %turned = call i32 @llvm.bitreverse.i32(i32 %a)      ; 08000001
  %ones = call i32 @llvm.ctpop.i32(i32 %swapped)       ; 2
  %front = call i32 @llvm.ctlz.i32(i32 %turned, i1 false)   ; 4
  %end = call i32 @llvm.cttz.i32(i32 0, i1 false)      ; 32
  %least = call i32 @llvm.abs.i32(i32 -26, i1 true)    ; 26
  %s = add i32 %ones, %front
  %t = add i32 %s, %end
  %r = add i32 %t, %least
  ret i32 %r
}
declare i32 @llvm.bswap.i32(i32)
declare i32 @llvm.bitreverse.i32(i32)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.abs.i32(i32, i1)
