; A free of an address inside of an object.
define i32 @main() {
  %p = call ptr @malloc(i64 8)
  %q = getelementptr i8, ptr %p, i64 4
  call void @free(ptr %q) ;~ ERROR invalid-free
  ret i32 0
}
