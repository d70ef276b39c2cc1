define i128 @wide(i128 %x, i64 %y) {
  %a = sext i64 %y to i128
  %b = mul i128 %x, %a
  %c = add i128 %b, -2
  %d = lshr i128 %c, 65
  %e = icmp ult i128 %d, %x
  %f = select i1 %e, i128 %d, i128 18446744073709551616
  ret i128 %f
}
define i65 @sixty_five(i65 %x, ptr %p) {
  %a = load i65, ptr %p
  %b = sub i65 %a, %x
  store i65 %b, ptr %p
  %c = ashr i65 %b, 1
  ret i65 %c
}
define i3 @narrowed(i128 %x) {
  %a = trunc i128 %x to i70
  %b = trunc i70 %a to i3
  ret i3 %b
}
define i128 @phi(i1 %c, i128 %x, i128 %y) {
entry:
  br label %loop
loop:
  %a = phi i128 [ %x, %entry ], [ %b, %loop ]
  %b = phi i128 [ %y, %entry ], [ %a, %loop ]
  br i1 %c, label %loop, label %done
done:
  ret i128 %a
}

define i32 @wide_switch(i128 %x) {
entry:
  switch i128 %x, label %other [ i128 1, label %one
                                 i128 18446744073709551617, label %same
                                 i128 -1, label %same ]
one:
  br label %same
other:
  br label %same
same:
  %n = phi i32 [ 7, %entry ], [ 7, %entry ], [ 1, %one ], [ 0, %other ]
  ret i32 %n
}
