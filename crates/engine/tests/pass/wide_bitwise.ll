; And, or, exclusive or of 128 bits.
; end: exit 255
define i32 @main() {
  %p = alloca i128
  store i128 18446744073709551615, ptr %p
  %a = load i128, ptr %p                 ; 2^64 - 1
  %b = shl i128 %a, 64
  %c = or i128 %b, 240
  %d = and i128 %c, 4095
  %e = xor i128 %d, 15                   ; ff
  %r = trunc i128 %e to i32
  ret i32 %r
}
