target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-musl"
@input_name = private constant [2 x i8] c"x\00"
declare void @klee_make_symbolic(ptr, i64, ptr)
declare void @klee_assume(i64)
declare void @klee_silent_exit(i32) noreturn
declare ptr @malloc(i64)
declare ptr @calloc(i64, i64)
declare ptr @realloc(ptr, i64)
declare void @free(ptr)
define internal i8 @input8() {
  %p = alloca i8
  call void @klee_make_symbolic(ptr %p, i64 1, ptr @input_name)
  %v = load i8, ptr %p
  ret i8 %v
}
define internal i32 @input32() {
  %p = alloca i32
  call void @klee_make_symbolic(ptr %p, i64 4, ptr @input_name)
  %v = load i32, ptr %p
  ret i32 %v
}
define internal i64 @input64() {
  %p = alloca i64
  call void @klee_make_symbolic(ptr %p, i64 8, ptr @input_name)
  %v = load i64, ptr %p
  ret i64 %v
}
