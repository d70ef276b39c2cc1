; Only paths that satisfy an assumption go on; it is no fork.
; end: exit 3
define i32 @main() {
  %x = call i8 @input8()
  %c = icmp ugt i8 %x, 250
  %v = zext i1 %c to i64
  call void @klee_assume(i64 %v)
  %small = icmp ult i8 %x, 100
  br i1 %small, label %never, label %done
never:
  ret i32 4
done:
  ret i32 3
}
