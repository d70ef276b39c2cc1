; A branch on a value that nobody has set.
define i32 @main() {
  %p = alloca i32
  %v = load i32, ptr %p
  %c = icmp eq i32 %v, 3
  br i1 %c, label %yes, label %no ;~ ERROR uninitialised
yes:
  ret i32 1
no:
  ret i32 2
}
