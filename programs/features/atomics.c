// Atomics in one thread: loads, stores, exchanges, compare and exchange, read-modify-write of all kinds, fences.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdatomic.h>
#include <stdio.h>

int main(void) {
  atomic_int a = 5;
  atomic_ullong w = 1;
  atomic_uchar b = 250;
  atomic_flag flag = ATOMIC_FLAG_INIT;
  int x = 7;
  _Atomic(int *) p = &x;
  printf("%d ", atomic_fetch_add(&a, 3));
  printf("%d ", atomic_fetch_sub(&a, 1));
  printf("%d ", atomic_fetch_or(&a, 8));
  printf("%d ", atomic_fetch_and(&a, 12));
  printf("%d ", atomic_fetch_xor(&a, 5));
  printf("%d ", atomic_exchange(&a, 100));
  printf("%d\n", atomic_load_explicit(&a, memory_order_acquire));
  int expected = 99;
  int first = atomic_compare_exchange_strong(&a, &expected, 1);
  int second = atomic_compare_exchange_strong(&a, &expected, 2);
  printf("%d %d %d %d\n", first, second, expected, atomic_load(&a));
  atomic_fetch_add(&b, 10);
  atomic_fetch_add(&w, 1ull << 40);
  atomic_store_explicit(&p, atomic_load(&p), memory_order_release);
  atomic_thread_fence(memory_order_seq_cst);
  printf("%d %llu %d ", b, (unsigned long long)w, *atomic_load(&p));
  printf("%d ", atomic_flag_test_and_set(&flag));
  printf("%d\n", atomic_flag_test_and_set(&flag));
  printf("%d ", __sync_bool_compare_and_swap(&x, 7, 8));
  printf("%d\n", __atomic_fetch_nand(&x, 3, __ATOMIC_SEQ_CST));
  return x == ~(8 & 3) ? 0 : 1;
}
