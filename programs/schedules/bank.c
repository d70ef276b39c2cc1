// Two transfers in opposite directions lock both accounts. In the order of the accounts they never wait for each other.
//
// cleave: orders all --races paths=2 failed=1 bug=deadlock
// cleave: orders all -DORDERED --races paths=2
#include <pthread.h>

static struct account { pthread_mutex_t lock; int money; } accounts[2] = {
  { PTHREAD_MUTEX_INITIALIZER, 10 }, { PTHREAD_MUTEX_INITIALIZER, 10 }
};

static void *transfer(void *which) {
  struct account *from = &accounts[(long)which], *to = &accounts[1 - (long)which];
#ifdef ORDERED
  struct account *first = from < to ? from : to, *second = from < to ? to : from;
#else
  struct account *first = from, *second = to;
#endif
  pthread_mutex_lock(&first->lock);
  pthread_mutex_lock(&second->lock);
  from->money -= 3;
  to->money += 3;
  pthread_mutex_unlock(&second->lock);
  pthread_mutex_unlock(&first->lock);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, transfer, (void *)i);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0); //~ ERROR deadlock
  return accounts[0].money != 10 || accounts[1].money != 10;
}
