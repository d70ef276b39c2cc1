; A jump to the landing pad of a caller's caller, with two values, on one of two paths.
; end: exit 0
; end: exit 73
@type = constant i32 0
@other = constant i32 0
define void @thrower(i8 %x) {
  %c = icmp ult i8 %x, 10
  br i1 %c, label %throws, label %returns
throws:
  %frame = call i64 @cleave_unwind_next(i64 0, i32 0)
  call void @cleave_unwind_to(i64 %frame, i64 70, i64 2)
  unreachable
returns:
  ret void
}
define void @middle(i8 %x) {
  %local = alloca i64
  call void @thrower(i8 %x)
  ret void
}
define i32 @main() personality ptr @personality {
  %x = call i8 @input8()
  invoke void @middle(i8 %x) to label %fine unwind label %pad
fine:
  ret i32 0
pad:
  %values = landingpad { ptr, i32 } catch ptr @other catch ptr @type
  %first = extractvalue { ptr, i32 } %values, 0
  %second = extractvalue { ptr, i32 } %values, 1
  %number = call i32 @llvm.eh.typeid.for.p0(ptr @type)
  %is = icmp eq i32 %second, %number
  br i1 %is, label %caught, label %other
caught:
  %n = ptrtoint ptr %first to i32
  %sum = add i32 %n, 3
  ret i32 %sum
other:
  ret i32 1
}
define i32 @personality(...) {
  ret i32 0
}
declare i64 @cleave_unwind_next(i64, i32)
declare void @cleave_unwind_to(i64, i64, i64)
declare i32 @llvm.eh.typeid.for.p0(ptr)
