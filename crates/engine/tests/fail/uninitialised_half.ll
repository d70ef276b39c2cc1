; One byte of two is set: what depends on the other one is a bug.
define i32 @main() {
  %p = alloca i16
  store i8 5, ptr %p
  %v = load i16, ptr %p
  %low = and i16 %v, 255
  %fine = icmp eq i16 %low, 5
  br i1 %fine, label %on, label %no
on:
  %c = icmp ugt i16 %v, 255
  br i1 %c, label %no, label %yes ;~ ERROR uninitialised
yes:
  ret i32 1
no:
  ret i32 2
}
