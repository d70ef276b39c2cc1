; Shifts of 128 bits across the halves.
; end: exit 254
define i32 @main() {
  %p = alloca i128
  store i128 18446744073709551615, ptr %p
  %a = load i128, ptr %p                 ; 2^64 - 1
  %b = shl i128 %a, 60
  %c = lshr i128 %b, 116                 ; 255
  %minus = shl i128 %a, 64
  %d = ashr i128 %minus, 127             ; -1
  %e = add i128 %c, %d                   ; 254
  %r = trunc i128 %e to i32
  ret i32 %r
}
