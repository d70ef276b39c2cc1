; Between kinds of numbers, and to and from integers.
; end: exit 201
define i32 @main() {
  %p = alloca i32
  store i32 -55, ptr %p
  %i = load i32, ptr %p
  %f = sitofp i32 %i to float
  %d = fpext float %f to double
  %u = uitofp i8 200 to double
  %s = fadd double %d, %u         ; 145
  %t = fptrunc double %s to float
  %x = fptoui float %t to i32     ; 145
  %y = fptosi double %d to i32    ; -55
  %z = add i32 %x, %y             ; 90
  %r = add i32 %z, 111
  ret i32 %r
}
