; A longjmp to a function that has returned.
@buffer = global [25 x i64] zeroinitializer
declare i32 @setjmp(ptr) returns_twice
declare void @longjmp(ptr, i32)
define void @sets() {
  %v = call i32 @setjmp(ptr @buffer)
  ret void
}
define i32 @main() {
  call void @sets()
  call void @longjmp(ptr @buffer, i32 1) ;~ ERROR bad-call
  unreachable
}
