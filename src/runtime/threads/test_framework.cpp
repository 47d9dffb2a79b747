// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/test_framework.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/base/world.hpp"
#include "runtime/threads/hooks.hpp"

namespace thrum {

constinit Forever<TestFramework> the_test_framework;

bool TestFramework::has_begun() const { return begun_ || world.job->test.empty(); }

const std::string& TestFramework::add_call(const char* name, std::uint32_t before) {
  calls_.resize(std::min<std::size_t>(before, calls_.size()));
  std::string unique = name;
  const auto is_taken = [&](const AnnouncedTest& other) { return other.name == unique; };
  for (int number = 2; std::any_of(calls_.begin(), calls_.end(), is_taken); ++number)
    unique = std::string(name) + " (" + std::to_string(number) + ")";
  calls_.push_back({std::move(unique), std::exchange(options_, {})});
  return calls_.back().name;
}

void TestFramework::name_part(const char* name) {
  // Executions that fail may end before the inner sections.
  if (std::strlen(name) > part_name_.size()) part_name_ = name;
}

void TestFramework::end_part(bool more) { (more ? saw_more_ : saw_end_) = true; }

void TestFramework::skip(const char* reason) {
  give_up_known_end();
  if (world.repeats) return;
  if (skipped_++ == 0) skip_reason_ = reason;
}

void TestFramework::save(ByteWriter& out) const {
  for (bool flag : {begun_, has_parts_, saw_end_, saw_more_}) out.put(flag);
  out.put_string(part_name_);
  out.put(skipped_);
  out.put_string(skip_reason_);
}

void TestFramework::load(ByteReader& in) {
  for (bool* flag : {&begun_, &has_parts_, &saw_end_, &saw_more_}) *flag = in.get<bool>();
  part_name_ = in.get_string();
  skipped_ = in.get<std::uint64_t>();
  skip_reason_ = in.get_string();
}

void TestFramework::merge(ByteReader& in) {
  TestFramework part;
  part.load(in);
  begun_ |= part.begun_;
  has_parts_ |= part.has_parts_;
  saw_end_ |= part.saw_end_;
  saw_more_ |= part.saw_more_;
  if (part_name_.empty()) part_name_ = part.part_name_;
  if (skipped_ == 0) skip_reason_ = part.skip_reason_;
  skipped_ += part.skipped_;
}

void TestFramework::add_to(Report& report) const {
  if (listed_ && !world.job->replay) {
    report.tests = calls_;
    report.tests->insert(report.tests->end(), tests_.begin(), tests_.end());
  }
  report.part_name = part_name_;
  report.part_missing = part_missing_;
  report.may_have_more = has_parts_ && (saw_more_ || !saw_end_);
  report.executions_skipped = skipped_;
  report.skip_reason = skip_reason_;
}

}  // namespace thrum
