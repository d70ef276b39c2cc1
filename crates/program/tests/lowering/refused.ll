declare i32 @__gxx_personality_v0(...)
declare void @may_throw()
define void @lands() personality ptr @__gxx_personality_v0 {
entry:
  invoke void @may_throw() to label %fine unwind label %caught
fine:
  ret void
caught:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
}
define fp128 @quadruple(fp128 %x) {
  %a = fadd fp128 %x, %x
  ret fp128 %a
}
define i256 @huge_integer(i256 %x) {
  %a = add i256 %x, 1
  ret i256 %a
}
define void @large_switch(i128 %x) {
entry:
  switch i128 %x, label %done [ i128 1, label %one ]
one:
  br label %done
done:
  ret void
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
