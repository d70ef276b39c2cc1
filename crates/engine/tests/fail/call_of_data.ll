; A call through a pointer to data.
@data = global i32 0
define i32 @main() {
  %p = alloca ptr
  store ptr @data, ptr %p
  %f = load ptr, ptr %p
  %r = call i32 %f(i32 1) ;~ ERROR bad-call
  ret i32 %r
}
