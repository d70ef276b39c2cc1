%pair = type { i32, { i8, double } }
define i8 @parts(%pair %p, i8 %x) {
  %a = insertvalue %pair %p, i8 %x, 1, 0
  %b = extractvalue %pair %a, 1
  %c = extractvalue { i8, double } %b, 0
  ret i8 %c
}
define %pair @loaded(ptr %p) {
  %v = load %pair, ptr %p
  store %pair { i32 -1, { i8, double } { i8 2, double 1.0 } }, ptr %p
  ret %pair %v
}
define %pair @chosen(i1 %c, %pair %x) {
  %r = select i1 %c, %pair %x, %pair zeroinitializer
  ret %pair %r
}
define [2 x i128] @wide_parts([2 x i128] %p, i128 %x) {
  %a = insertvalue [2 x i128] %p, i128 %x, 1
  ret [2 x i128] %a
}
