; A read of a function's code.
define i32 @main() {
  %p = alloca ptr
  store ptr @main, ptr %p
  %q = load ptr, ptr %p
  %v = load i32, ptr %q ;~ ERROR wild-pointer
  ret i32 %v
}
