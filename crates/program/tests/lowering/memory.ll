%point = type { i8, i32, [3 x i16] }
define i16 @places(ptr %p, i64 %i, i32 %j) {
  %a = getelementptr %point, ptr %p, i64 1, i32 2, i64 %i
  %b = getelementptr inbounds %point, ptr %p, i32 %j, i32 1
  %c = getelementptr i8, ptr %b, i64 -4
  %x = load i16, ptr %a
  store i16 %x, ptr %c
  ret i16 %x
}
define ptr @far(ptr %p, i8 %i) {
  %a = getelementptr i8, ptr %p, i64 5000000000
  %b = getelementptr i64, ptr %a, i8 %i
  ret ptr %b
}
define i24 @odd_sizes(ptr %p) {
  %a = load i24, ptr %p
  %q = getelementptr i24, ptr %p, i64 1
  %b = load i1, ptr %q
  store i1 %b, ptr %p
  ret i24 %a
}
define ptr @stack(i32 %n) {
  %a = alloca [4 x i32], align 16
  %b = alloca i64, i32 %n
  store ptr %a, ptr %b
  ret ptr %b
}
define i32 @integers_of_pointers(ptr %p, i128 %w) {
  %a = ptrtoint ptr %p to i32
  %b = inttoptr i128 %w to ptr
  store i32 %a, ptr %b
  ret i32 %a
}
define void @segment(ptr addrspace(257) %p) {
  store i32 1, ptr addrspace(257) %p
  ret void
}
