; A float has 24 bits of precision: 2^24 + 1 is 2^24.
; end: exit 1
define i32 @main() {
  %p = alloca float
  store float 16777216.0, ptr %p
  %a = load float, ptr %p
  %b = fadd float %a, 1.0
  %same = fcmp oeq float %a, %b
  %r = zext i1 %same to i32
  ret i32 %r
}
