; The heap: memory is zero where calloc gives it, and keeps its bytes when it grows.
; end: exit 12
define i32 @main() {
  %p = call ptr @calloc(i64 4, i64 4)
  %q = getelementptr i32, ptr %p, i64 3
  %zero = load i32, ptr %q
  store i32 12, ptr %q
  %g = call ptr @realloc(ptr %p, i64 4096)
  %h = getelementptr i32, ptr %g, i64 3
  %v = load i32, ptr %h
  call void @free(ptr %g)
  call void @free(ptr null)
  %r = add i32 %v, %zero
  ret i32 %r
}
