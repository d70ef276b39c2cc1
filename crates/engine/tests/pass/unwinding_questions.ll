; What is known of frames: a function that lets no exception pass, one with a landing pad, and the end of the stack.
; end: exit 15
define i64 @asks() {
  %wall = call i64 @cleave_unwind_next(i64 0, i32 0)
  %never = call i64 @cleave_unwind_value(i64 %wall, i32 6)
  %pad = call i64 @cleave_unwind_next(i64 %wall, i32 0)
  %number = call i64 @cleave_unwind_value(i64 %pad, i32 2)
  %table = call i64 @cleave_unwind_value(i64 %pad, i32 1)
  %reads = call i64 @cleave_unwind_value(i64 %pad, i32 0)
  %end = call i64 @cleave_unwind_next(i64 %pad, i32 0)
  %is = icmp eq i64 %reads, ptrtoint (ptr @personality to i64)
  %reader = zext i1 %is to i64
  %has = icmp ne i64 %table, 0
  %tabled = zext i1 %has to i64
  %last = icmp eq i64 %end, 0
  %ended = zext i1 %last to i64
  %a = shl i64 %never, 1
  %b = shl i64 %tabled, 2
  %c = shl i64 %ended, 3
  %or = or i64 %a, %b
  %all = or i64 %or, %c
  %with = or i64 %all, %reader
  %wrong = icmp ne i64 %number, 1
  %minus = zext i1 %wrong to i64
  %sum = sub i64 %with, %minus
  ret i64 %sum
}
define i64 @lets_none_pass() nounwind {
  %r = call i64 @asks()
  ret i64 %r
}
define i32 @main() personality ptr @personality {
  %r = invoke i64 @lets_none_pass() to label %fine unwind label %pad
fine:
  %n = trunc i64 %r to i32
  ret i32 %n
pad:
  %values = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %values
}
define i32 @personality(...) {
  ret i32 0
}
declare i64 @cleave_unwind_next(i64, i32)
declare i64 @cleave_unwind_value(i64, i32)
