; A division by an input that may be zero.
; end: exit 0
define i32 @main() {
  %x = call i32 @input32()
  %q = udiv i32 100, %x ;~ ERROR division
  %big = icmp ugt i32 %q, 100
  %r = zext i1 %big to i32
  ret i32 %r
}
