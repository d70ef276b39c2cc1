; Vectors are added lane by lane, shuffled, and taken apart.
; end: exit 66
@four = global <4 x i32> <i32 1, i32 2, i32 3, i32 4>
define i32 @main() {
  %a = load <4 x i32>, ptr @four
  %b = add <4 x i32> %a, <i32 10, i32 20, i32 30, i32 40>          ; 11 22 33 44
  %c = shufflevector <4 x i32> %b, <4 x i32> %a, <4 x i32> <i32 3, i32 1, i32 4, i32 7>   ; 44 22 1 4
  %x = extractelement <4 x i32> %c, i32 0
  %y = extractelement <4 x i32> %c, i32 1
  %r = add i32 %x, %y
  ret i32 %r
}
