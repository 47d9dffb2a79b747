// Two threads take the last item. What they do afterwards hides the bug from searches that look at the end of
// an execution first.
#include <atomic>
#include <cassert>
#include <thread>

namespace shop {

template <typename Count>
class Shelf {
 public:
  bool take() {
    if (count_.load() == 0) return false;
    count_.fetch_sub(1);  // another may have taken it meanwhile
    return true;
  }
  Count count() const { return count_.load(); }

 private:
  std::atomic<Count> count_{1};
};

std::atomic<int> visits;
Shelf<int> shelf;

void walk() {
  for (int i = 0; i < 12; ++i) visits.fetch_add(1);
}

__attribute__((noinline)) void buy() { shelf.take(); }

void customer() {
  walk();
  buy();
  walk();
}

}  // namespace shop

int main() {
  std::thread other(shop::customer);
  shop::customer();
  other.join();
  assert(shop::shelf.count() >= 0);
}
