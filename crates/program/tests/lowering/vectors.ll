define <2 x i32> @lanes(<2 x i32> %x, <2 x i32> %y) {
  %a = add <2 x i32> %x, <i32 1, i32 -1>
  %c = icmp slt <2 x i32> %a, %y
  %r = select <2 x i1> %c, <2 x i32> %a, <2 x i32> zeroinitializer
  ret <2 x i32> %r
}
define i32 @element(<4 x i32> %x, i32 %i) {
  %a = extractelement <4 x i32> %x, i64 3
  %b = insertelement <4 x i32> %x, i32 %a, i64 0
  %c = extractelement <4 x i32> %b, i32 %i
  ret i32 %c
}
define <2 x i8> @put(<2 x i8> %x, i8 %v, i1 %i) {
  %a = insertelement <2 x i8> %x, i8 %v, i1 %i
  ret <2 x i8> %a
}
define <4 x i8> @put_of_two(<4 x i8> %x, i8 %v, i1 %i) {
  %a = insertelement <4 x i8> %x, i8 %v, i1 %i
  ret <4 x i8> %a
}
define <3 x i16> @shuffled(<2 x i16> %x, <2 x i16> %y) {
  %a = shufflevector <2 x i16> %x, <2 x i16> %y, <3 x i32> <i32 3, i32 poison, i32 0>
  ret <3 x i16> %a
}
define <2 x i128> @shuffled_wide(<2 x i128> %x) {
  %a = shufflevector <2 x i128> %x, <2 x i128> poison, <2 x i32> <i32 poison, i32 0>
  ret <2 x i128> %a
}
define i4 @mask(<4 x i8> %x) {
  %a = icmp eq <4 x i8> %x, zeroinitializer
  %b = bitcast <4 x i1> %a to i4
  ret i4 %b
}
define <2 x i32> @pointers(<2 x ptr> %p) {
  %a = ptrtoint <2 x ptr> %p to <2 x i32>
  ret <2 x i32> %a
}
define double @reshaped(<2 x float> %x) {
  %a = bitcast <2 x float> %x to double
  ret double %a
}
define i32 @reduced(<4 x i32> %x) {
  %a = call i32 @llvm.vector.reduce.smax.v4i32(<4 x i32> %x)
  ret i32 %a
}
define void @packed_in_memory(ptr %p) {
  %a = load <2 x i4>, ptr %p
  store <2 x i4> %a, ptr %p
  ret void
}
define <2 x i1> @bits_in_memory(ptr %p, <2 x i1> %x) {
  %a = load <2 x i1>, ptr %p
  store <2 x i1> %x, ptr %p
  ret <2 x i1> %a
}
declare i32 @llvm.vector.reduce.smax.v4i32(<4 x i32>)
