// By KISS main ends early at the join; what the thread has a pointer to must still be there.
// kiss 2: {}
// lazy 2: {}
#include <assert.h>
#include <pthread.h>
struct data {
  long values[40];
};
static void *look(void *argument) {
  struct data *data = argument;
  assert(data->values[20] == 7);
  return 0;
}
int main(void) {
  pthread_t thread;
  struct data data;
  for (int i = 0; i < 40; i++) data.values[i] = 7;
  pthread_create(&thread, 0, look, &data);
  pthread_join(thread, 0);
  return 0;
}
