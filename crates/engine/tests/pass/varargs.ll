; Variable arguments are taken in their order: integers from integer registers, then from the stack.
; end: exit 28
define internal i32 @next(ptr %list) {
  %gp = load i32, ptr %list
  %fits = icmp ult i32 %gp, 48
  br i1 %fits, label %register, label %stack
register:
  %save_at = getelementptr i8, ptr %list, i64 16
  %save = load ptr, ptr %save_at
  %here = getelementptr i8, ptr %save, i32 %gp
  %more = add i32 %gp, 8
  store i32 %more, ptr %list
  br label %done
stack:
  %over_at = getelementptr i8, ptr %list, i64 8
  %over = load ptr, ptr %over_at
  %behind = getelementptr i8, ptr %over, i64 8
  store ptr %behind, ptr %over_at
  br label %done
done:
  %p = phi ptr [ %here, %register ], [ %over, %stack ]
  %v = load i32, ptr %p
  ret i32 %v
}
define i32 @sum(i32 %count, ...) {
entry:
  %list = alloca [24 x i8], align 8
  call void @llvm.va_start.p0(ptr %list)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %s = phi i32 [ 0, %entry ], [ %t, %loop ]
  %v = call i32 @next(ptr %list)
  %t = add i32 %s, %v
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, %count
  br i1 %more, label %loop, label %done
done:
  call void @llvm.va_end.p0(ptr %list)
  ret i32 %t
}
define i32 @main() {
  %r = call i32 (i32, ...) @sum(i32 7, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7)
  ret i32 %r
}
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
