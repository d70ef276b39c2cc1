; A pointer to a variable of a function that has returned.
@kept = global ptr null
define void @leaves() {
  %p = alloca i32
  store i32 1, ptr %p
  store ptr %p, ptr @kept
  ret void
}
define i32 @main() {
  call void @leaves()
  %p = load ptr, ptr @kept
  %v = load i32, ptr %p ;~ ERROR use-after-free
  ret i32 %v
}
