; Truncation drops the high bits; extension puts zeros or the sign in front.
; end: exit 254
define i32 @main() {
  %p = alloca i32
  store i32 511, ptr %p
  %a = load i32, ptr %p
  %low = trunc i32 %a to i8      ; ff
  %minus = sext i8 %low to i32   ; -1
  %plus = zext i8 %low to i32    ; 255
  %r = add i32 %minus, %plus
  ret i32 %r
}
