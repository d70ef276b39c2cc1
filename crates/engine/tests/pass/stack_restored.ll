; What was put on the stack behind a mark is gone when the mark is restored.
; end: exit 2
define i32 @main() {
  %n = alloca i64
  store i64 8, ptr %n
  %size = load i64, ptr %n
  %mark = call ptr @llvm.stacksave.p0()
  %p = alloca i8, i64 %size
  store i8 2, ptr %p
  %v = load i8, ptr %p
  call void @llvm.stackrestore.p0(ptr %mark)
  %r = zext i8 %v to i32
  ret i32 %r
}
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
