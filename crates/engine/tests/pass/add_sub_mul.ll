; Sums, differences and products wrap around their width.
; end: exit 42
define i32 @main() {
  %p = alloca i8
  store i8 -56, ptr %p
  %a = load i8, ptr %p
  %sum = add i8 %a, 100          ; 300 - 256 = 44
  %less = sub i8 %sum, 46        ; -2
  %product = mul i8 %less, -21   ; 42
  %r = zext i8 %product to i32
  ret i32 %r
}
