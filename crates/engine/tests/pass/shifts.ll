; Shifts to the left and right, with zeros and with the sign.
; end: exit 227
define i32 @main() {
  %p = alloca i8
  store i8 -116, ptr %p          ; 8c
  %a = load i8, ptr %p
  %left = shl i8 %a, 2           ; 30
  %right = lshr i8 %a, 2         ; 23
  %signed = ashr i8 %a, 2        ; e3
  %x = xor i8 %left, %right      ; 13
  %y = xor i8 %x, %signed        ; f0
  %z = xor i8 %y, 19             ; e3
  %r = zext i8 %z to i32
  ret i32 %r
}
