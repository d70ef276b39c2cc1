; Signed division goes towards zero and its remainder has the sign of the dividend; unsigned division does not.
; end: exit 57
define i32 @main() {
  %p = alloca i32
  store i32 -7, ptr %p
  %a = load i32, ptr %p
  %q = sdiv i32 %a, 2            ; -3
  %m = srem i32 %a, 2            ; -1
  %big = udiv i32 %a, 65536      ; 65535
  %rest = urem i32 %a, 10        ; 4294967289 % 10 = 9
  %s = add i32 %q, %m            ; -4
  %t = sub i32 %big, 65483       ; 52
  %u = add i32 %t, %rest         ; 61
  %r = add i32 %u, %s
  ret i32 %r
}
