; Behind a freeze nothing is undefined: the bits that nobody has set are zero.
; end: exit 3
define i32 @main() {
  %p = alloca i32
  %v = load i32, ptr %p
  %f = freeze i32 %v
  %zero = icmp eq i32 %f, 0
  br i1 %zero, label %yes, label %no
yes:
  ret i32 3
no:
  ret i32 4
}
