define i64 @product(i64 %x, i64 %y) {
  %a = call { i64, i64 } asm "mulq $3", "={dx},={ax},{ax},r,~{flags}"(i64 %x, i64 %y)
  %b = extractvalue { i64, i64 } %a, 0
  ret i64 %b
}
define i32 @half_product(i32 %x, i32 %y) {
  %a = call { i32, i32 } asm "mull $3", "={dx},={ax},{ax},r,~{flags}"(i32 %x, i32 %y)
  %b = extractvalue { i32, i32 } %a, 0
  ret i32 %b
}
define i64 @barriers(i64 %x) {
  call void asm sideeffect "", "~{memory}"()
  %a = call i64 asm "", "=r,0"(i64 %x)
  call void asm sideeffect "pause", ""()
  ret i64 %a
}
define void @more_than_a_pause() {
  call void asm sideeffect "nop; int3", ""()
  ret void
}
define i32 @processor() {
  %a = call { i32, i32 } asm "cpuid", "={ax},={bx},{ax}"(i32 0)
  %b = extractvalue { i32, i32 } %a, 1
  ret i32 %b
}
