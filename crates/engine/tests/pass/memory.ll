; Bytes in memory are in the order of x86-64.
; end: exit 52
define i32 @main() {
  %p = alloca i64
  store i64 81985529216486895, ptr %p   ; 0123456789abcdef
  %q = getelementptr i8, ptr %p, i64 2
  %word = load i16, ptr %q              ; 89ab
  store i8 0, ptr %q                    ; 8900
  %again = load i16, ptr %q
  %low = sub i16 %word, %again          ; ab
  %x = sub i16 %low, 119                ; 171 - 119 = 52
  %r = zext i16 %x to i32
  ret i32 %r
}
