; A shift by an input whose result is stored: a shift by the width or more is a bug.
; end: exit 0
@result = global i32 0
define i32 @main() {
  %n = call i32 @input32()
  %v = shl i32 1, %n ;~ ERROR overshift
  store i32 %v, ptr @result
  ret i32 0
}
