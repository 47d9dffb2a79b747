// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// plain: no
// case written: bug data-race       two owners write, and giving up a copy does not order them
// case read: bug data-race          one owner writes, the other one reads
// case written_by_main: bug data-race   by whoever threw it, after copies were handed out
// case outlived: bug data-race      a reference is used when its owner has given the exception up
// case pointer_itself: bug data-race    the exception_ptr is no atomic
// case assigned: bug data-race      nor is an exception that is assigned
// case filesystem_error: bug data-race   a reference to its path is used when its last owner has gone
// case locale: bug data-race        a facet is written by one owner and read by another one
// case message: bug data-race       a message is used when its last owner has given it up
#include <atomic>
#include <exception>
#include <filesystem>
#include <locale>
#include <stdexcept>
#include <thread>

#include "../../cases.h"

struct Error {
  int value = 1;
};

static std::atomic<int> flag;
int seen;  // not static, or compilers would leave out what nobody reads

static std::exception_ptr thrown() {
  try {
    throw Error();
  } catch (...) {
    return std::current_exception();
  }
}

static void write(std::exception_ptr exception) {
  try {
    std::rethrow_exception(std::move(exception));
  } catch (Error& error) {
    error.value = 2;  // reported: written read
  }
}
static void read(std::exception_ptr exception) {
  try {
    std::rethrow_exception(std::move(exception));
  } catch (const Error& error) {
    seen = error.value;  // reported: read written_by_main
  }
}

static void run_written() {
  std::exception_ptr exception = thrown();
  std::thread first([=] { write(exception); });
  std::thread second([=] { write(exception); });
  first.join();
  second.join();
}
static void run_read() {
  std::exception_ptr exception = thrown();
  std::thread first([=] { write(exception); });
  std::thread second([=] { read(exception); });
  first.join();
  second.join();
}
static void run_written_by_main() {
  std::thread second;
  try {
    throw Error();
  } catch (Error& error) {
    second = std::thread([copy = std::current_exception()] { read(copy); });
    error.value = 2;  // reported: written_by_main
  }
  second.join();
}
static void run_outlived() {
  std::exception_ptr exception = thrown();
  std::thread second([copy = exception]() mutable {
    const Error* kept = nullptr;
    try {
      std::rethrow_exception(copy);
    } catch (const Error& error) {
      kept = &error;
    }
    copy = nullptr;
    if (flag.load(std::memory_order_relaxed) == 0) seen = kept->value;  // reported: outlived
  });
  flag.store(1, std::memory_order_relaxed);
  exception = nullptr;  // reported: outlived
  second.join();
}
static void run_pointer_itself() {
  std::exception_ptr shared;
  std::thread second([&] { shared = thrown(); });  // reported: pointer_itself
  std::exception_ptr mine = shared;                // reported: pointer_itself
  second.join();
}
struct Numbered : std::runtime_error {  // reported: assigned
  using std::runtime_error::runtime_error;
  int number = 1;
};
static void run_assigned() {
  static Numbered error("text");
  std::thread second([] { seen = error.number; });  // reported: assigned
  Numbered other("another text");
  other.number = 2;
  error = other;  // reported: assigned
  second.join();
}
static void run_message() {
  auto* error = new std::runtime_error("text");
  const char* text = error->what();
  std::thread second([=] { seen = text[0]; });  // reported: message
  delete error;                                 // reported: message
  second.join();
}
static void run_filesystem_error() {
  const auto code = std::make_error_code(std::errc::io_error);
  auto* error =
      new std::filesystem::filesystem_error("text", "a path that is too long to stand in itself", code);
  const char* text = error->path1().c_str();
  std::thread second([=] { seen = text[0]; });  // reported: filesystem_error
  delete error;                                 // reported: filesystem_error
  second.join();
}
struct Facet : std::locale::facet {
  static std::locale::id id;
  mutable int value = 1;
};
std::locale::id Facet::id;
static void run_locale() {
  std::locale locale(std::locale::classic(), new Facet);
  std::thread first([=] { ++std::use_facet<Facet>(locale).value; });   // reported: locale
  std::thread second([=] { ++std::use_facet<Facet>(locale).value; });  // reported: locale
  first.join();
  second.join();
}

MAIN(CASE(written), CASE(read), CASE(written_by_main), CASE(outlived), CASE(pointer_itself), CASE(assigned),
     CASE(message), CASE(filesystem_error), CASE(locale))
