// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A walk through what lies in libstdc++ itself rather than in its headers. Its output is the same whichever
// build of the library it is linked with. With WITH_MATCH, handlers are also asked for by thrum_vm_match, and
// must be those that the C++ runtime takes.
#include <cxxabi.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <clocale>
#include <codecvt>
#include <complex>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <filesystem>
#include <fstream>
#include <future>
#include <iomanip>
#include <iostream>
#include <latch>
#include <list>
#include <locale>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <new>
#include <random>
#include <regex>
#include <semaphore>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <typeinfo>
#include <unordered_map>
#include <variant>
#include <vector>

namespace {

namespace fs = std::filesystem;

void numbers() {
  std::cout << 1 << ' ' << -2L << ' ' << 3.25 << ' ' << true << ' ' << std::boolalpha << false << ' ' << 'c'
            << ' ' << static_cast<const void*>(nullptr) << '\n';
  std::cout << std::hex << std::showbase << 255 << ' ' << std::oct << 8 << std::dec << ' ' << std::setw(8)
            << std::setfill('.') << 42 << ' ' << std::scientific << std::setprecision(3) << 12345.678 << ' '
            << std::fixed << 2.0F / 3 << ' ' << std::defaultfloat << 1e100 << ' ' << 2.5L << ' '
            << std::hexfloat << 0.5 << std::defaultfloat << '\n';
  std::cout << std::complex<double>(1, -2) << ' ' << std::put_money("1234") << ' ' << std::quoted("a \"b\"")
            << '\n';
  std::istringstream in("12 0x1f -7.5 word true 99999999999 1.5L");
  int a = 0, b = 0, e = 0;
  double c = 0;
  std::string d;
  bool f = false;
  in >> a >> std::hex >> b >> std::dec >> c >> d >> std::boolalpha >> f >> e;
  std::cout << a << ' ' << b << ' ' << c << ' ' << d << ' ' << f << ' ' << e << ' ' << in.fail() << '\n';
  std::cout << std::to_string(3.5) << ' ' << std::stoi("-17") << ' ' << std::stod("2.5e3") << '\n';
}

void texts() {
  std::stringstream text;
  text << "first line\nsecond\n\nfourth";
  std::string line;
  while (std::getline(text, line)) std::cout << '[' << line << ']';
  std::wstringstream wide;
  wide << L"wide " << 7 << L' ' << 1.5;
  std::cout << wide.str().size() << '\n';
  std::cout << std::regex_replace(std::string("a1b22c333"), std::regex("[0-9]+"), "<$&>") << '\n';
  std::tm time{};
  time.tm_year = 120;
  time.tm_mon = 1;
  time.tm_mday = 29;
  std::cout << std::put_time(&time, "%Y-%m-%d %A %B") << ' ' << std::locale().name() << ' '
            << std::use_facet<std::ctype<char>>(std::locale()).toupper('q') << ' '
            << std::use_facet<std::collate<char>>(std::locale()).compare("a", "a" + 1, "b", "b" + 1) << '\n';
  std::wstring_convert<std::codecvt_utf8<wchar_t>> convert;
  std::cout << convert.from_bytes("\xc3\xa4\xe2\x82\xac").size() << ' ' << convert.to_bytes(L"\u00e4").size()
            << '\n';
  std::istringstream ignoring("aaa,b");
  ignoring.ignore(2);
  ignoring.ignore(10, ',');
  std::cout << static_cast<char>(ignoring.get()) << '\n';
}

void containers() {
  std::map<std::string, int> map;
  for (const char* word : {"to", "be", "or", "not", "to", "be"}) ++map[word];
  for (const auto& [word, count] : map) std::cout << word << '=' << count << ' ';
  std::unordered_map<std::string, int> hashed(map.begin(), map.end());
  std::list<int> list = {3, 1, 2};
  list.sort();
  list.reverse();
  std::deque<int> deque(list.begin(), list.end());
  std::set<int> set(deque.begin(), deque.end());
  std::cout << hashed.size() << ' ' << hashed.bucket_count() << ' ' << list.front() << ' ' << *set.rbegin()
            << '\n';
  std::pmr::unsynchronized_pool_resource pool;
  std::pmr::vector<std::pmr::string> pooled(&pool);
  for (int i = 0; i < 40; ++i) pooled.emplace_back("a string that is longer than fifteen characters");
  std::cout << pooled.size() << ' ' << pooled.back().size() << '\n';
  std::mt19937 random(7);
  std::cout << random() << ' ' << std::uniform_int_distribution<int>(1, 6)(random) << '\n';
}

void files() {
  const fs::path folder = fs::temp_directory_path() / ("library-tour-" + std::to_string(getpid()));
  fs::create_directories(folder / "a" / "b");
  std::ofstream(folder / "a" / "file.txt") << "one\ntwo " << 3 << '\n';
  std::ifstream in(folder / "a" / "file.txt");
  std::string all((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::size_t entries = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) entries += entry.path().has_filename();
  fs::rename(folder / "a" / "file.txt", folder / "moved.txt");
  std::error_code error;
  fs::file_size(folder / "nothing", error);
  std::cout << all.size() << ' ' << entries << ' ' << fs::exists(folder / "moved.txt") << ' '
            << fs::file_size(folder / "moved.txt") << ' ' << error.message() << ' '
            << fs::path("/a/../b/./c.txt").lexically_normal() << '\n';
  try {
    fs::file_size(folder / "nothing");
  } catch (const fs::filesystem_error& caught) {
    std::cout << caught.code() << ' ' << caught.path1().filename() << '\n';
  }
  std::cout << fs::remove_all(folder) << '\n';
}

void threads() {
  std::mutex mutex;
  std::shared_timed_mutex shared;
  std::condition_variable_any ready;
  std::counting_semaphore<4> semaphore(0);
  std::latch latch(2);
  std::barrier barrier(2);
  std::atomic<int> number = 0;
  bool go = false;
  std::jthread helper([&](std::stop_token stop) {
    std::unique_lock lock(mutex);
    ready.wait(lock, [&] { return go; });
    lock.unlock();
    semaphore.release(2);
    latch.arrive_and_wait();
    barrier.arrive_and_wait();
    number = 5;
    number.notify_all();
    while (!stop.stop_requested()) std::this_thread::yield();
  });
  {
    std::lock_guard lock(mutex);
    go = true;
  }
  ready.notify_all();
  semaphore.acquire();
  latch.arrive_and_wait();
  barrier.arrive_and_wait();
  number.wait(0);
  helper.request_stop();
  auto answer = std::async(std::launch::async, [&] {
    std::shared_lock lock(shared);
    return 40 + number / 2;
  });
  std::promise<int> broken;
  auto future = broken.get_future();
  broken.set_exception(std::make_exception_ptr(std::out_of_range("promised")));
  std::once_flag once;
  int calls = 0;
  for (int i = 0; i < 3; ++i) std::call_once(once, [&] { ++calls; });
  std::cout << answer.get() << ' ' << calls << ' ';
  try {
    future.get();
  } catch (const std::out_of_range& caught) {
    std::cout << caught.what() << '\n';
  }
  std::shared_ptr<int> counted = std::make_shared<int>(3);
  std::weak_ptr<int> weak = counted;
  std::atomic<std::shared_ptr<int>> atomic_pointer = counted;
  std::cout << weak.use_count() << ' ' << *atomic_pointer.load() << '\n';
}

struct Base {
  virtual ~Base() = default;
  int base = 1;
};
struct Other {
  virtual ~Other() = default;
  int other = 2;
};
struct Virtual : virtual Base {
  int middle = 3;
};
struct Derived : Other, Virtual {
  int derived = 4;
};
struct Hidden : private Base {};
struct Left : Base {};
struct Right : Base {};
struct Ambiguous : Left, Right {};

#ifdef WITH_MATCH
extern "C" int thrum_vm_match(const std::type_info* type, void* exception);
extern "C" int thrum_vm_match_forced(const std::type_info* type);
extern "C" int thrum_vm_allows(const std::type_info* const* types, std::size_t count, void* exception);

void disagree(const char* what, const std::type_info& type) {
  std::cout << "thrum_vm_match: " << what << ' ' << type.name() << '\n';
}

// Asks for T, and for a specification with T. taken: whether the runtime's handler takes the exception;
// adjusted: what it got.
template <class T>
void compare(bool taken, void* exception, const void* adjusted) {
  const std::type_info* type = &typeid(T);
  const std::type_info* types[] = {&typeid(std::bad_cast), type};
  if ((thrum_vm_allows(types, 2, exception) != 0) != taken) disagree("allows", *type);
  if (thrum_vm_allows(types, 1, exception) != 0) disagree("allows less", *type);
  if ((thrum_vm_match(type, exception) != 0) != taken) disagree("takes", *type);
  // __cxa_get_exception_ptr gives what the last match has left.
  if (adjusted != nullptr && abi::__cxa_get_exception_ptr(exception) != adjusted) disagree("adjusts", *type);
}

// What __cxa_get_globals() gives.
struct Globals {
  void* caught;
  unsigned uncaught;
};
Globals& globals() { return *reinterpret_cast<Globals*>(abi::__cxa_get_globals()); }

// The unwinder's header of the exception that is being handled: the end of __cxa_exception, which has 112
// bytes.
void* exception_now() { return static_cast<char*>(globals().caught) + 112 - sizeof(_Unwind_Exception); }

extern "C" void __cxa_call_unexpected(void* exception);

void expect(bool holds, const char* what) {
  if (!holds) std::cout << "thrum_vm_match: " << what << '\n';
}

struct Counted {
  Counted() { ++alive; }
  Counted(const Counted&) { ++alive; }
  ~Counted() { --alive; }
  static inline int alive = 0;
};

// An exception that its specification, of one type, does not allow. The handler throws 5.
template <class Allowed, class Escapes>
void violate() {
  static const std::type_info* const types[] = {&typeid(Allowed)};
  const std::unexpected_handler before = std::set_unexpected([] { throw 5; });
  bool escaped = false;
  try {
    throw Counted();
  } catch (...) {
    void* exception = exception_now();
    expect(thrum_vm_allows(types, 1, exception) == 0, "allows what it does not name");
    // As in front of a landing pad, where the exception is not caught yet.
    ++globals().uncaught;
    try {
      __cxa_call_unexpected(exception);
    } catch (const Escapes&) {
      escaped = true;
    } catch (...) {
    }
  }
  std::set_unexpected(before);
  expect(escaped, "something else escapes");
  expect(Counted::alive == 0, "an exception is never freed");
}

void specifications() {
  violate<int, int>();
  violate<std::bad_exception, std::bad_exception>();
  _Unwind_Exception foreign{};
  const std::type_info* const types[] = {&typeid(int)};
  expect(thrum_vm_match(nullptr, &foreign) != 0, "a foreign exception passes a handler for everything");
  expect(thrum_vm_match(&typeid(abi::__foreign_exception), &foreign) != 0, "a foreign exception has no type");
  expect(thrum_vm_match(types[0], &foreign) == 0, "a foreign exception is a number");
  expect(thrum_vm_allows(types, 1, &foreign) != 0, "a foreign exception does not pass");
  expect(thrum_vm_allows(types, 0, &foreign) == 0, "a foreign exception passes where none may");
  expect(thrum_vm_match_forced(nullptr) != 0, "a forced unwinding passes a handler for everything");
  expect(thrum_vm_match_forced(&typeid(abi::__forced_unwind)) != 0, "a forced unwinding has no type");
  expect(thrum_vm_match_forced(types[0]) == 0, "a forced unwinding is a number");
}
#else
void specifications() {}
template <class T>
void compare(bool, void*, const void*) {}
void* exception_now() { return nullptr; }
#endif

// Throws the value, and catches it as T if it can be.
template <class T, class Value>
void try_handler(const char* name, const Value& value) {
  bool taken = false;
  const void* adjusted = nullptr;
  try {
    throw value;
  } catch (T caught) {
    taken = true;
    if constexpr (std::is_pointer_v<std::remove_cvref_t<T>>) {
      adjusted = reinterpret_cast<const void*>(caught);
    } else if constexpr (std::is_reference_v<T>) {
      adjusted = &caught;
    }
    compare<std::remove_cvref_t<T>>(true, exception_now(), adjusted);
  } catch (...) {
    compare<std::remove_cvref_t<T>>(false, exception_now(), nullptr);
  }
  std::cout << name << (taken ? " taken; " : " not; ");
}

// All handlers for one value.
template <class Value>
void try_handlers(const char* name, const Value& value) {
  std::cout << name << ": ";
  try_handler<Base&>("Base", value);
  try_handler<Other&>("Other", value);
  try_handler<Virtual&>("Virtual", value);
  try_handler<Derived&>("Derived", value);
  try_handler<Left&>("Left", value);
  try_handler<int&>("int", value);
  try_handler<unsigned&>("unsigned", value);
  try_handler<Base*>("Base*", value);
  try_handler<const Other*>("const Other*", value);
  try_handler<Virtual*>("Virtual*", value);
  try_handler<int*>("int*", value);
  try_handler<const void*>("const void*", value);
  try_handler<std::nullptr_t>("nullptr", value);
  try_handler<int Base::*>("int Base::*", value);
  try_handler<void (*)()>("function", value);
  std::cout << '\n';
}

void function() {}

void handlers() {
  static Derived derived;
  static int number = 7;
  try_handlers("Derived", derived);
  try_handlers("Hidden", Hidden());
  try_handlers("Ambiguous", Ambiguous());
  try_handlers("int", 1);
  try_handlers("Derived*", &derived);
  try_handlers("const Derived*", static_cast<const Derived*>(&derived));
  try_handlers("int*", &number);
  try_handlers("null Base*", static_cast<Base*>(nullptr));
  try_handlers("nullptr", nullptr);
  try_handlers("member", &Base::base);
  try_handlers("function", &function);
}

void exceptions() {
  try {
    try {
      std::vector<int>().at(3);
    } catch (...) {
      std::throw_with_nested(std::runtime_error("outer"));
    }
  } catch (const std::exception& outer) {
    std::cout << outer.what() << " / ";
    try {
      std::rethrow_if_nested(outer);
    } catch (const std::out_of_range& inner) {
      std::cout << inner.what() << '\n';
    }
  }
  std::exception_ptr kept;
  try {
    throw Derived();
  } catch (...) {
    kept = std::current_exception();
  }
  for (int i = 0; i < 2; ++i) {  // by dependent exceptions
    try {
      std::rethrow_exception(kept);
    } catch (Base& base) {
      compare<Base>(true, exception_now(), &base);
      std::cout << base.base << ' ' << std::uncaught_exceptions() << ' ';
    }
  }
  std::istringstream failing("x");
  failing.exceptions(std::ios::failbit);
  int number = 0;
  try {
    failing >> number;
  } catch (const std::ios_base::failure& failure) {
    std::cout << failure.what() << ' ' << failure.code() << '\n';
  }
  try {
    std::cout << std::get<int>(std::variant<int, double>(2.0));
  } catch (const std::bad_variant_access& bad) {
    std::cout << bad.what() << '\n';
  }
  Base* base = nullptr;
  try {
    std::cout << typeid(*base).name();
  } catch (const std::bad_typeid& bad) {
    std::cout << bad.what() << '\n';
  }
  Derived derived;
  Other* other = &derived;
  std::cout << (dynamic_cast<Virtual*>(other) != nullptr) << ' ' << (dynamic_cast<Left*>(other) != nullptr)
            << ' ' << abi::__cxa_demangle(typeid(derived).name(), nullptr, nullptr, nullptr) << '\n';
}

}  // namespace

int main() {
  numbers();
  texts();
  containers();
  files();
  threads();
  handlers();
  specifications();
  exceptions();
  std::cerr << "to standard error\n";
  std::clog << "and once more" << std::endl;
  return 0;
}
