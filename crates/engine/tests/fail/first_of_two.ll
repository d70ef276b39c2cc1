; A path ends at its first bug.
define i32 @main() {
  %p = call ptr @malloc(i64 4)
  call void @free(ptr %p)
  store i32 1, ptr %p ;~ ERROR use-after-free
  store i32 1, ptr null
  ret i32 0
}
