; Code that was said to be unreachable.
; end: exit 0
define i32 @main() {
  %x = call i8 @input8()
  %c = icmp eq i8 %x, 77
  br i1 %c, label %never, label %done
never:
  unreachable ;~ ERROR unreachable
done:
  ret i32 0
}
