; What is decided stays decided: three paths, not four.
; end: exit 1
; end: exit 2
; end: exit 3
define i32 @main() {
  %x = call i32 @input32()
  %small = icmp slt i32 %x, 10
  br i1 %small, label %low, label %high
low:
  %tiny = icmp slt i32 %x, -5
  br i1 %tiny, label %one, label %two
high:
  %impossible = icmp slt i32 %x, 7
  br i1 %impossible, label %never, label %three
one:
  ret i32 1
two:
  ret i32 2
three:
  ret i32 3
never:
  ret i32 4
}
