// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread's local path in a toy program: the outcome of each instruction at which the thread can go on in
// more than one way, in order, and where it stands now. Where all threads took the same ways, they did the
// same.
//
// As text: "t1 3:1 5:0 at 7". With values it has besides what the thread read from shared or plain memory or
// took as input: "t1 =4 3:1 =0 5:0 at 7".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace thrum {

enum class PathForm : bool { outcomes, with_values };

class LocalPath {
 public:
  // at: the instruction's number in the thread.
  void add_outcome(std::size_t at, int outcome);
  void add_value(int value);

  // The items so far: all that were added.
  const std::string& items() const { return items_; }

  enum class Where : unsigned char { stands, ended, failed };
  // at: where it stands.
  std::string text(int thread, Where where, std::size_t at) const;

  friend bool operator==(const LocalPath&, const LocalPath&) = default;

 private:
  std::string items_;
};

// The text of a path, or of several, without the values.
std::string without_values(std::string_view text);

// What the path of one thread has of values: the first of them, the first two, and so on, each as "t1 =4 =0".
std::vector<std::string> sequences_of_values(std::string_view text);

}  // namespace thrum
