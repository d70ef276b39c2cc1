; Numbers become wide with zeros or their sign in front, and narrow again.
; end: exit 254
define i32 @main() {
  %p = alloca i128
  store i128 18446744073709551615, ptr %p
  %a = load i128, ptr %p                 ; 2^64 - 1
  %low = trunc i128 %a to i8             ; ff
  %minus = sext i8 %low to i128          ; -1
  %plus = zext i8 %low to i96
  %back = trunc i128 %minus to i96
  %s = add i96 %plus, %back              ; 254
  %e = sext i96 %s to i128
  %r = trunc i128 %e to i32
  ret i32 %r
}
