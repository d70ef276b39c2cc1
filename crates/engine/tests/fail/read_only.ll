; A write to a constant.
@constant = constant i32 5
define i32 @main() {
  %p = alloca ptr
  store ptr @constant, ptr %p
  %q = load ptr, ptr %p
  store i32 6, ptr %q ;~ ERROR read-only
  ret i32 0
}
