; A read through null.
define i32 @main() {
  %p = alloca ptr
  store ptr null, ptr %p
  %q = load ptr, ptr %p
  %v = load i32, ptr %q ;~ ERROR null-pointer
  ret i32 %v
}
