; A bug on a path that no input takes is none.
; end: exit 0
define i32 @main() {
  %x = call i8 @input8()
  %low = and i8 %x, 15
  %c = icmp eq i8 %low, 16
  br i1 %c, label %bug, label %done
bug:
  store i8 1, ptr null
  br label %done
done:
  ret i32 0
}
