; And, or, exclusive or of bytes.
; end: exit 165
define i32 @main() {
  %p = alloca i8
  store i8 -13, ptr %p           ; f3
  %a = load i8, ptr %p
  %b = and i8 %a, 63             ; 33
  %c = or i8 %b, -128            ; b3
  %d = xor i8 %c, 22             ; a5
  %r = zext i8 %d to i32
  ret i32 %r
}
