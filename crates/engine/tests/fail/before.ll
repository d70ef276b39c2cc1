; A write before an object of the heap.
define i32 @main() {
  %p = call ptr @malloc(i64 16)
  %q = getelementptr i8, ptr %p, i64 -1
  store i8 1, ptr %q ;~ ERROR out-of-bounds
  ret i32 0
}
