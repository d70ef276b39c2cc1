; Atomic operations give the old value; a failed exchange changes nothing.
; end: exit 18
@word = global i32 5
define i32 @main() {
  %old = atomicrmw add ptr @word, i32 3 seq_cst                         ; 5
  %pair = cmpxchg ptr @word, i32 8, i32 13 seq_cst seq_cst              ; 8, 1
  %again = cmpxchg ptr @word, i32 8, i32 99 seq_cst seq_cst             ; 13, 0
  %done = extractvalue { i32, i1 } %pair, 1
  %failed = extractvalue { i32, i1 } %again, 1
  %now = load atomic i32, ptr @word seq_cst, align 4                    ; 13
  %s = add i32 %old, %now
  %c = icmp ugt i1 %done, %failed
  %r = select i1 %c, i32 %s, i32 0
  ret i32 %r
}
