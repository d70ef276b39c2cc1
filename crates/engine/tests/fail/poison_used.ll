; A count of zeros that has no result for zero, of zero.
define i32 @main() {
  %p = alloca i32
  store i32 0, ptr %p
  %z = load i32, ptr %p
  %n = call i32 @llvm.ctlz.i32(i32 %z, i1 true)
  %c = icmp eq i32 %n, 32
  br i1 %c, label %yes, label %no ;~ ERROR uninitialised
yes:
  ret i32 1
no:
  ret i32 2
}
declare i32 @llvm.ctlz.i32(i32, i1)
