; A read of which the last byte is behind the object.
define i32 @main() {
  %p = alloca [7 x i8]
  call void @klee_make_symbolic(ptr %p, i64 7, ptr @input_name)
  %q = getelementptr i8, ptr %p, i64 4
  %v = load i32, ptr %q ;~ ERROR out-of-bounds
  ret i32 %v
}
