// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing values to a byte string and reading them back: the form in which plans, traces and results pass
// between processes. Integers are little-endian and of fixed size; strings and lists carry their length.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace thrum {

class ByteWriter {
 public:
  // Takes what is too much to be kept, in the order in which it was written.
  class Sink {
   public:
    virtual void take(std::string_view bytes) = 0;

   protected:
    ~Sink() = default;
  };

  ByteWriter() = default;
  // sink must outlive it.
  explicit ByteWriter(Sink& sink) : sink_(&sink) {}

  template <typename T>
  void put(T value) {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T> || std::is_floating_point_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put_string(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_.append(text);
  }

  // As they lie in memory: for a reader on the same machine.
  template <typename T>
  void put_all(const std::vector<T>& elements) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(static_cast<std::uint64_t>(elements.size()));
    bytes_.append(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T));
  }

  // Between two values, now and then, by who writes many: hands on what there is, where there is a sink.
  void settle() {
    constexpr std::size_t kEnough = std::size_t{1} << 20;
    if (bytes_.size() >= kEnough) flush();
  }
  void flush() {
    if (sink_ == nullptr) return;
    sink_->take(bytes_);
    bytes_.clear();
  }

  // What was written and not handed on.
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
  Sink* sink_ = nullptr;
};

// Reads what a ByteWriter wrote. Reading past the end yields zeros and makes ok() false; so a reader checks
// once, at its end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  T get() {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T> || std::is_floating_point_v<T>);
    if constexpr (std::is_same_v<T, bool>) {
      auto byte = get<std::uint8_t>();
      if (byte > 1) fail();
      return byte == 1;
    }
    T value{};
    if (rest_.size() < sizeof value) {
      fail();
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }

  // What put_all() wrote.
  template <typename T>
  void get_all(std::vector<T>& elements) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto count = get<std::uint64_t>();
    elements.clear();
    if (count > rest_.size() / sizeof(T)) return fail();
    elements.resize(count);
    if (count > 0) std::memcpy(static_cast<void*>(elements.data()), rest_.data(), count * sizeof(T));
    rest_.remove_prefix(count * sizeof(T));
  }
  std::string get_string() { return std::string(get_view(get<std::uint32_t>())); }
  // The same without a copy.
  std::string_view get_string_view() { return get_view(get<std::uint32_t>()); }

  // The length of a list whose elements take at least one byte each; 0 and not ok() where the input is too
  // short.
  std::uint32_t get_count() {
    auto count = get<std::uint32_t>();
    if (count <= rest_.size()) return count;
    fail();
    return 0;
  }

  // For a reader that finds the values, not the bytes, wrong.
  void fail() {
    ok_ = false;
    rest_ = {};
  }
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view get_view(std::size_t size) {
    if (size > rest_.size()) {
      fail();
      return {};
    }
    std::string_view view = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return view;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace thrum
