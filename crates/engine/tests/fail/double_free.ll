; A second free, on the one path that comes to it.
; end: exit 0
define i32 @main() {
  %x = call i8 @input8()
  %p = call ptr @malloc(i64 4)
  call void @free(ptr %p)
  %c = icmp eq i8 %x, 1
  br i1 %c, label %again, label %done
again:
  call void @free(ptr %p) ;~ ERROR double-free
  br label %done
done:
  ret i32 0
}
