; A free of a local variable.
define i32 @main() {
  %p = alloca i32
  call void @free(ptr %p) ;~ ERROR invalid-free
  ret i32 0
}
