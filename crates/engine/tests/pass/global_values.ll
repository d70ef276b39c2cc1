; Initial values of globals: numbers, zeros, and addresses of other globals.
; end: exit 9
@number = global i32 4
@zeros = global [100 x i8] zeroinitializer
@inside = global ptr getelementptr (i8, ptr @number, i64 0)
define i32 @main() {
  %p = load ptr, ptr @inside
  store i32 9, ptr %p
  %v = load i32, ptr @number
  %q = getelementptr i8, ptr @zeros, i64 99
  %z = load i8, ptr %q
  %w = zext i8 %z to i32
  %r = add i32 %v, %w
  ret i32 %r
}
