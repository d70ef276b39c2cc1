; A call through null.
define i32 @main() {
  %p = alloca ptr
  store ptr null, ptr %p
  %f = load ptr, ptr %p
  call void %f() ;~ ERROR bad-call
  ret i32 0
}
