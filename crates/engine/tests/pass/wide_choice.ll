; Comparisons and choices of 128 bits look at both halves.
; end: exit 8
define i32 @main() {
  %p = alloca i128
  store i128 18446744073709551615, ptr %p
  %a = load i128, ptr %p                 ; 2^64 - 1
  %b = add i128 %a, 1
  %less = icmp ult i128 %a, %b
  %minus = sub i128 0, %b
  %signed = icmp slt i128 %minus, %a
  %both = and i1 %less, %signed
  %f = select i1 %both, i128 %b, i128 0
  %e = lshr i128 %f, 61
  %r = trunc i128 %e to i32
  ret i32 %r
}
