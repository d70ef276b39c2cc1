; A write to a variable whose scope has ended.
@kept = global ptr null
define i32 @main() {
  %p = alloca i32
  store ptr %p, ptr @kept
  call void @llvm.lifetime.start.p0(i64 4, ptr %p)
  store i32 1, ptr %p
  call void @llvm.lifetime.end.p0(i64 4, ptr %p)
  %q = load ptr, ptr @kept
  store i32 2, ptr %q ;~ ERROR use-after-scope
  ret i32 0
}
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
