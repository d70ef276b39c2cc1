; A switch on memory that malloc gives.
define i32 @main() {
  %p = call ptr @malloc(i64 1)
  %v = load i8, ptr %p
  switch i8 %v, label %no [ i8 1, label %yes ] ;~ ERROR uninitialised
yes:
  ret i32 1
no:
  ret i32 2
}
