@table = global [4 x i64] zeroinitializer
define ptr @address() {
  ret ptr getelementptr ([4 x i64], ptr @table, i64 0, i64 3)
}
define i64 @number() {
  ret i64 add (i64 ptrtoint (ptr @table to i64), i64 8)
}
define { i32, ptr } @unknown() {
  ret { i32, ptr } { i32 undef, ptr poison }
}
define float @signalling() {
  ret float 0x7FF4000000000000
}
define x86_fp80 @extended(i1 %c) {
  %r = select i1 %c, x86_fp80 0xK3FFF8000000000000000, x86_fp80 0xK00000000000000000001
  ret x86_fp80 %r
}
define i128 @negative(i1 %c) {
  %r = select i1 %c, i128 -1, i128 -170141183460469231731687303715884105728
  ret i128 %r
}
