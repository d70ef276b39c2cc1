; A scope that begins again makes a new object of the same variable.
; end: exit 4
define i32 @main() {
entry:
  %p = alloca i32
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  call void @llvm.lifetime.start.p0(i64 4, ptr %p)
  store i32 %i, ptr %p
  %v = load i32, ptr %p
  call void @llvm.lifetime.end.p0(i64 4, ptr %p)
  %j = add i32 %v, 1
  %more = icmp ult i32 %j, 4
  br i1 %more, label %loop, label %done
done:
  ret i32 %j
}
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
