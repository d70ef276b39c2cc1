; abort, on one of two paths.
; end: exit 0
define i32 @main() {
  %x = call i8 @input8()
  %c = icmp slt i8 %x, 0
  br i1 %c, label %end, label %done
end:
  call void @abort() ;~ ERROR abort
  unreachable
done:
  ret i32 0
}
declare void @abort()
