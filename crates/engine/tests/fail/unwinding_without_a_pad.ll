; A jump to a call that has no landing pad.
define void @thrower() {
  %frame = call i64 @cleave_unwind_next(i64 0, i32 1)
  call void @cleave_unwind_to(i64 %frame, i64 1, i64 2) ;~ ERROR bad-call
  unreachable
}
define i32 @main() {
  call void @thrower()
  ret i32 0
}
declare i64 @cleave_unwind_next(i64, i32)
declare void @cleave_unwind_to(i64, i64, i64)
