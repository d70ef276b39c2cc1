; longjmp goes back to setjmp, which gives its value.
; end: exit 5
@buffer = global [25 x i64] zeroinitializer
declare i32 @setjmp(ptr) returns_twice
declare void @longjmp(ptr, i32)
define void @deep() {
  call void @longjmp(ptr @buffer, i32 5)
  unreachable
}
define i32 @main() {
  %v = call i32 @setjmp(ptr @buffer)
  %first = icmp eq i32 %v, 0
  br i1 %first, label %go, label %done
go:
  call void @deep()
  ret i32 1
done:
  ret i32 %v
}
