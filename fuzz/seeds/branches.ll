target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-musl"
@name = private constant [2 x i8] c"x\00"
declare void @klee_make_symbolic(ptr, i64, ptr)
define i32 @main() {
  %p = alloca [4 x i8]
  call void @klee_make_symbolic(ptr %p, i64 4, ptr @name)
  %a = load i8, ptr %p
  %c = icmp ult i8 %a, 100
  br i1 %c, label %low, label %high
low:
  %q = getelementptr i8, ptr %p, i64 1
  %b = load i8, ptr %q
  switch i8 %b, label %two [
    i8 1, label %one
    i8 2, label %two
    i8 3, label %three
  ]
high:
  %i = zext i8 %a to i64
  %r = getelementptr i8, ptr %p, i64 %i
  %v = load i8, ptr %r
  %w = zext i8 %v to i32
  ret i32 %w
one:
  ret i32 1
two:
  ret i32 2
three:
  unreachable
}
