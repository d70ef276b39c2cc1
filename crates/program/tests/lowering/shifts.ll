define i32 @bounded(i32 %x, i32 %n) {
  %c = icmp ult i32 %n, 32
  %s = shl i32 %x, %n
  %r = select i1 %c, i32 %s, i32 0
  ret i32 %r
}
define i32 @chosen_by_something_else(i32 %x, i32 %n, i1 %c) {
  %s = lshr i32 %x, %n
  %t = or i32 %s, 1
  %r = select i1 %c, i32 7, i32 %t
  ret i32 %r
}
define i64 @cast(i64 %x, i32 %n) {
  %w = zext i32 %n to i64
  %s = shl i64 %x, %w
  %c = icmp ugt i32 %n, 63
  %r = select i1 %c, i64 0, i64 %s
  ret i64 %r
}
define i1 @decides_another_choice(i32 %x, i32 %n, i1 %y) {
  %c = icmp ult i32 %n, 32
  %s = shl i32 %x, %n
  %t = icmp eq i32 %s, 0
  %u = select i1 %t, i1 %y, i1 false
  %r = select i1 %c, i1 %u, i1 false
  ret i1 %r
}
define i32 @used_elsewhere_too(i32 %x, i32 %n, i1 %c) {
  %s = shl i32 %x, %n
  %r = select i1 %c, i32 %s, i32 0
  %t = add i32 %s, %r
  ret i32 %t
}
define i32 @always_in_range(i32 %x, i32 %n, i1 %c) {
  %m = and i32 %n, 31
  %s = shl i32 %x, %m
  %r = select i1 %c, i32 %s, i32 0
  ret i32 %r
}
define i32 @in_another_block(i32 %x, i32 %n, i1 %c) {
entry:
  %s = shl i32 %x, %n
  br i1 %c, label %then, label %done
then:
  ret i32 %s
done:
  ret i32 0
}
