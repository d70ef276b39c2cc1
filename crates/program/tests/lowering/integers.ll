define i32 @arithmetic(i32 %x, i32 %y) {
  %a = add nsw i32 %x, %y
  %b = sub i32 7, %a
  %c = mul i32 %b, %y
  %d = udiv i32 %c, %x
  %e = sdiv i32 %d, -3
  %f = urem i32 %e, %y
  %g = srem i32 %f, %x
  ret i32 %g
}
define i8 @bits(i8 %x, i8 %y) {
  %a = and i8 %x, -16
  %b = or i8 %a, %y
  %c = xor i8 %b, -1
  %d = shl i8 %c, 3
  %e = lshr i8 %d, %y
  %f = ashr i8 %e, 1
  ret i8 %f
}
define i17 @odd(i17 %x, i5 %y, i1 %z) {
  %a = zext i5 %y to i17
  %b = sext i1 %z to i17
  %c = mul i17 %a, %b
  %d = add i17 %c, -1
  %e = trunc i17 %d to i3
  %f = sext i3 %e to i17
  %g = udiv i17 %f, %x
  ret i17 %g
}
define i1 @compare(i64 %x, i64 %y, ptr %p) {
  %a = icmp slt i64 %x, %y
  %b = icmp uge i64 %x, -2
  %c = icmp eq ptr %p, null
  %d = and i1 %a, %b
  %e = xor i1 %d, %c
  ret i1 %e
}
define i32 @choose(i1 %c, i32 %x, i32 %y) {
  %r = select i1 %c, i32 %x, i32 %y
  %f = freeze i32 %r
  ret i32 %f
}
