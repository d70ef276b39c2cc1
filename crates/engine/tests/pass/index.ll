; Fields of structures and elements of arrays, forwards and backwards.
; end: exit 30
%pair = type { i8, i32, [4 x i16] }
@data = global [2 x %pair] [%pair { i8 1, i32 2, [4 x i16] [i16 3, i16 4, i16 5, i16 6] }, %pair { i8 7, i32 8, [4 x i16] [i16 9, i16 10, i16 11, i16 12] }]
define i32 @main() {
  %p = alloca i64
  store i64 -1, ptr %p
  %minus = load i64, ptr %p
  %end = getelementptr %pair, ptr @data, i64 2
  %last = getelementptr %pair, ptr %end, i64 %minus
  %a = getelementptr %pair, ptr %last, i64 0, i32 2, i64 3
  %b = getelementptr %pair, ptr %last, i64 %minus, i32 2, i64 2
  %c = getelementptr [2 x %pair], ptr @data, i64 0, i64 1, i32 1
  %d = getelementptr i16, ptr %a, i64 %minus
  %x = load i16, ptr %a                 ; 12
  %y = load i16, ptr %b                 ; 5
  %z = load i32, ptr %c                 ; 8
  %u = load i16, ptr %d                 ; 11
  %xy = add i16 %x, %y
  %s = sub i16 %xy, %u                  ; 6
  %t = zext i16 %s to i32
  %v = mul i32 %t, %z                   ; 48
  %r = sub i32 %v, 18
  ret i32 %r
}
