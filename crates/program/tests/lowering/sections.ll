; A section whose bounds are named is one object; a variable that nobody defines has an address.
@before = global i32 7
@first = constant i32 1, section "table", align 4
@other = global i32 8, section "no_bounds"
@second = constant i64 2, section "table", align 8
@third = constant [3 x i8] c"abc", section "table", align 1
@__start_table = external hidden constant [0 x i32]
@__stop_table = external hidden constant [0 x i32]
@__start_absent = extern_weak global i32
@missing = external global [4 x i32]
@_end = external global i8
@end = external global i8
define ptr @bounds(i32 %which) {
  switch i32 %which, label %none [ i32 0, label %start i32 1, label %stop i32 2, label %absent ]
start:
  ret ptr @__start_table
stop:
  ret ptr @__stop_table
absent:
  ret ptr @__start_absent
none:
  ret ptr @missing
}
define i1 @ends(ptr %p) {
  %a = icmp ult ptr %p, @_end
  %b = icmp ult ptr %p, @end
  %c = and i1 %a, %b
  ret i1 %c
}
define i8 @in_its_bounds(i64 %i) {
  %known = load i8, ptr getelementptr (i8, ptr @third, i64 2)
  %beyond = load i8, ptr getelementptr (i8, ptr @third, i64 3)
  %p = getelementptr [3 x i8], ptr @third, i64 0, i64 %i
  %unknown = load i8, ptr %p
  %sum = add i8 %known, %unknown
  %all = add i8 %sum, %beyond
  ret i8 %all
}
