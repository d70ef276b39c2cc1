; Numbers of 128 bits: carries go from the low half to the high one.
; end: exit 11
define i32 @main() {
  %p = alloca i128
  store i128 18446744073709551615, ptr %p
  %a = load i128, ptr %p                 ; 2^64 - 1
  %b = add i128 %a, 1                    ; 2^64
  %c = mul i128 %b, 12                   ; 12 * 2^64
  %d = sub i128 %c, 1
  %e = lshr i128 %d, 64                  ; 11
  %r = trunc i128 %e to i32
  ret i32 %r
}
