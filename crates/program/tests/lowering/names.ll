@value = global i32 7
@alias = alias i32, ptr @value
@past = alias i8, getelementptr (i8, ptr @value, i64 2)
@called = alias i32 (), ptr @function
@resolved = ifunc i32 (), ptr @resolver
@of_thread = thread_local global i32 5
@weak = extern_weak global i32
declare extern_weak void @weak_function()
define i32 @function() {
  ret i32 3
}
define ptr @resolver() {
  ret ptr @function
}
define i8 @through_aliases() {
  %b = call i32 @called()
  store i32 %b, ptr @alias
  %c = load i8, ptr @past
  ret i8 %c
}
define i32 @through_ifunc() {
  %a = call i32 @resolved()
  ret i32 %a
}
define i32 @thread_local() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @of_thread)
  %v = load i32, ptr %p
  ret i32 %v
}
define i1 @nobody_defines(ptr %p) {
  %a = icmp eq ptr %p, @weak
  %b = icmp eq ptr %p, @weak_function
  %c = or i1 %a, %b
  ret i1 %c
}
declare ptr @llvm.threadlocal.address.p0(ptr)
