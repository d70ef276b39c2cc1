; A function gives several values at once.
; end: exit 17
define { i32, i8, i64 } @three(i32 %x) {
  %a = insertvalue { i32, i8, i64 } poison, i32 %x, 0
  %b = insertvalue { i32, i8, i64 } %a, i8 3, 1
  %c = insertvalue { i32, i8, i64 } %b, i64 9, 2
  ret { i32, i8, i64 } %c
}
define i32 @main() {
  %all = call { i32, i8, i64 } @three(i32 5)
  %x = extractvalue { i32, i8, i64 } %all, 0
  %y = extractvalue { i32, i8, i64 } %all, 1
  %z = extractvalue { i32, i8, i64 } %all, 2
  %y1 = zext i8 %y to i32
  %z1 = trunc i64 %z to i32
  %s = add i32 %x, %y1
  %r = add i32 %s, %z1
  ret i32 %r
}
