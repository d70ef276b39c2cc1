; A variable argument that was not passed.
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
  %v = load i32, ptr %p ;~ ERROR missing-argument
  ret i32 %v
}
define i32 @second(i32 %count, ...) {
  %list = alloca [24 x i8], align 8
  call void @llvm.va_start.p0(ptr %list)
  %a = call i32 @next(ptr %list)
  %b = call i32 @next(ptr %list)
  ret i32 %b
}
define i32 @main() {
  %r = call i32 (i32, ...) @second(i32 1, i32 5)
  ret i32 %r
}
declare void @llvm.va_start.p0(ptr)
