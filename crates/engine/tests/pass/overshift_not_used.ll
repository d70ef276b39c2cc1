; A shift by too much whose result is not used is an optimiser's, and no bug.
; end: exit 0
; end: exit 1
define i32 @main() {
  %n = call i32 @input32()
  %bit = shl i32 1, %n
  %c = icmp ult i32 %n, 32
  %v = select i1 %c, i32 %bit, i32 0
  %some = icmp ne i32 %v, 0
  br i1 %some, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 0
}
