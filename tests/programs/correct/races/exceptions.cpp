// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case copies: exhausted        the last owner destroys what the others have read
// case last_copy: exhausted     a catch block ends before the copy that another thread holds, or after it
// case rethrown: exhausted      thrown on from an inner catch block, which gives nothing up
// case nested: exhausted        the outer exception owns the inner one
// case made: exhausted          an exception that was never thrown before
// case shared_future: exhausted   each get() throws the same exception
// case written: exhausted       under a lock
// case messages: exhausted      copies of an exception have one string for their message
// case derived: exhausted       so have those of what is derived from it
// case assigned: exhausted      assignment gives the old string up
// case filesystem_error: exhausted   its copies share paths as well
// case locale: exhausted        copies share facets, which are counted like exceptions
#include <exception>
#include <filesystem>
#include <future>
#include <locale>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "../../cases.h"

// What it owns is freed by its destructor.
struct Error {
  std::shared_ptr<int> shared = std::make_shared<int>(1);
  std::string text = "a text that is too long to stand in the string itself";
  int value = 1;
};

static std::mutex mutex;
int seen[2];  // not static, or compilers would leave out what nobody reads

static std::exception_ptr thrown() {
  try {
    throw Error();
  } catch (...) {
    return std::current_exception();
  }
}

static void look(int& mine, std::exception_ptr exception) {
  try {
    std::rethrow_exception(std::move(exception));
  } catch (const Error& error) {
    mine = static_cast<int>(error.text.size()) + error.value;
  }
}

static void look_both(std::exception_ptr exception) {
  std::thread first([exception] { look(seen[0], exception); });
  std::thread second([exception] { look(seen[1], exception); });
  exception = nullptr;
  first.join();
  second.join();
}

static void run_copies() { look_both(thrown()); }
static void run_last_copy() {
  std::exception_ptr exception;
  std::thread second;
  try {
    throw Error();
  } catch (const Error& error) {
    second = std::thread([copy = std::current_exception()] { look(seen[1], copy); });
    seen[0] = error.value;
  }
  second.join();
}
static void run_rethrown() {
  auto look_twice = [](int& mine, std::exception_ptr exception) {
    try {
      try {
        std::rethrow_exception(std::move(exception));
      } catch (const Error&) {
        throw;
      }
    } catch (const Error& error) {
      mine = error.value;
    }
  };
  std::exception_ptr exception = thrown();
  std::thread first([=] { look_twice(seen[0], exception); });
  std::thread second([=] { look_twice(seen[1], exception); });
  exception = nullptr;
  first.join();
  second.join();
}
static void run_nested() {
  std::exception_ptr exception;
  try {
    try {
      throw Error();
    } catch (...) {
      std::throw_with_nested(std::runtime_error("outer"));
    }
  } catch (...) {
    exception = std::current_exception();
  }
  auto look_inside = [](int& mine, std::exception_ptr outer) {
    try {
      std::rethrow_exception(std::move(outer));
    } catch (const std::runtime_error& error) {
      try {
        std::rethrow_if_nested(error);
      } catch (const Error& inner) {
        mine = inner.value;
      }
    }
  };
  std::thread first([=] { look_inside(seen[0], exception); });
  std::thread second([=] { look_inside(seen[1], exception); });
  exception = nullptr;
  first.join();
  second.join();
}
static void run_made() { look_both(std::make_exception_ptr(Error())); }
static void run_shared_future() {
  std::promise<int> promise;
  std::shared_future<int> future = promise.get_future().share();
  promise.set_exception(thrown());
  auto get = [](int& mine, const std::shared_future<int>& result) {
    try {
      result.get();
    } catch (const Error& error) {
      mine = error.value;
    }
  };
  std::thread first([=] { get(seen[0], future); });
  std::thread second([=] { get(seen[1], future); });
  future = {};
  first.join();
  second.join();
}
static void run_written() {
  auto count = [](std::exception_ptr exception) {
    try {
      std::rethrow_exception(std::move(exception));
    } catch (Error& error) {
      std::lock_guard guard(mutex);
      ++error.value;
    }
  };
  std::exception_ptr exception = thrown();
  std::thread first([=] { count(exception); });
  std::thread second([=] { count(exception); });
  first.join();
  second.join();
  look(seen[0], exception);
}

template <class Exception>
static void measure_both(Exception* error) {
  auto measure = [](int& mine, const Exception& copy) {
    mine = static_cast<int>(std::string(copy.what()).size());
  };
  std::thread first([=, copy = *error] { measure(seen[0], copy); });
  std::thread second([=, copy = *error] { measure(seen[1], copy); });
  delete error;
  first.join();
  second.join();
}
static void run_messages() {
  measure_both(new std::runtime_error("text"));
  measure_both(new std::logic_error(""));
}
struct Derived : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
  int value = 1;
};
static void run_derived() {
  measure_both(new std::system_error(std::make_error_code(std::errc::io_error), "text"));
  measure_both(new Derived("text"));
}
static void run_assigned() {
  std::runtime_error error("text");
  auto replace = [](int& mine, std::runtime_error& copy) {
    mine = static_cast<int>(std::string(copy.what()).size());
    copy = std::runtime_error("another text");
  };
  std::thread first([=, copy = error]() mutable { replace(seen[0], copy); });
  std::thread second([=, copy = error]() mutable { replace(seen[1], copy); });
  error = std::runtime_error("the third text");
  first.join();
  second.join();
}
static void run_filesystem_error() {
  measure_both(
      new std::filesystem::filesystem_error("text", "path", std::make_error_code(std::errc::io_error)));
}
struct Facet : std::locale::facet {
  ~Facet() override { value = 0; }
  static std::locale::id id;
  int value = 1;
};
std::locale::id Facet::id;
static void run_locale() {
  std::locale locale(std::locale::classic(), new Facet);
  auto read = [](int& mine, const std::locale& copy) { mine = std::use_facet<Facet>(copy).value; };
  std::thread first([=] { read(seen[0], locale); });
  std::thread second([=] { read(seen[1], std::locale(locale, new std::numpunct<char>)); });
  locale = std::locale::classic();
  first.join();
  second.join();
}

MAIN(CASE(copies), CASE(last_copy), CASE(rethrown), CASE(nested), CASE(made), CASE(shared_future),
     CASE(written), CASE(messages), CASE(derived), CASE(assigned), CASE(filesystem_error), CASE(locale))
