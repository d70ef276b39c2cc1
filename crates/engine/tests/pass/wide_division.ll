; Division and remainder of 128 bits.
; end: exit 15
define i32 @main() {
  %p = alloca i128
  store i128 18446744073709551615, ptr %p
  %a = load i128, ptr %p                 ; 2^64 - 1
  %big = mul i128 %a, 1000
  %q = udiv i128 %big, %a                ; 1000
  %m = urem i128 %q, 7                   ; 6
  %minus = sub i128 0, %big
  %s = sdiv i128 %minus, %a              ; -1000
  %t = srem i128 %s, 7                   ; -6
  %u = sub i128 %m, %t
  %e = add i128 %u, 3
  %r = trunc i128 %e to i32
  ret i32 %r
}
