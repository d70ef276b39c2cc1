define fp128 @quadruple(fp128 %x) {
  %a = fadd fp128 %x, %x
  ret fp128 %a
}
define i256 @huge_integer(i256 %x) {
  %a = add i256 %x, 1
  ret i256 %a
}
define i32 @conditional(i1 %c, half %x, half %y) {
entry:
  br i1 %c, label %then, label %done
then:
  %a = fcmp olt half %x, %y
  %b = zext i1 %a to i32
  br label %done
done:
  %r = phi i32 [ %b, %then ], [ 5, %entry ]
  ret i32 %r
}
