; A copy whose source and destination overlap.
define i32 @main() {
  %p = alloca [8 x i8]
  call void @klee_make_symbolic(ptr %p, i64 8, ptr @input_name)
  %q = getelementptr i8, ptr %p, i64 3
  %r = call ptr @memcpy(ptr %q, ptr %p, i64 4) ;~ ERROR overlap
  ret i32 0
}
declare ptr @memcpy(ptr, ptr, i64)
