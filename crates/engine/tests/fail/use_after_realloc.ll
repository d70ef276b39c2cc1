; The old place of memory that has moved is gone.
define i32 @main() {
  %p = call ptr @malloc(i64 4)
  %q = call ptr @realloc(ptr %p, i64 8)
  store i32 1, ptr %p ;~ ERROR use-after-free
  ret i32 0
}
