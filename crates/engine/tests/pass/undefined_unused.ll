; A value that nobody has set may be copied and computed with, as long as nothing depends on it.
; end: exit 5
define i32 @main() {
  %p = alloca i32
  %q = alloca i32
  %v = load i32, ptr %p
  %w = add i32 %v, 1
  store i32 %w, ptr %q
  ret i32 5
}
