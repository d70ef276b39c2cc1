; A choice is no branch: one path, whatever the input.
; end: exit 1
define i32 @main() {
  %x = call i32 @input32()
  %c = icmp ult i32 %x, 10
  %y = select i1 %c, i32 %x, i32 9
  %ok = icmp ult i32 %y, 10
  %r = zext i1 %ok to i32
  ret i32 %r
}
