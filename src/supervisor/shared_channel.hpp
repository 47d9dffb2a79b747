// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The supervisor's side of a channel: it makes it, puts the job in, and takes out what the worker left.
// Whatever the worker left may be garbage. Thread safety: none.
#pragma once

#include <optional>
#include <string>

#include "protocol/channel.hpp"
#include "protocol/job.hpp"

namespace thrum {

class SharedChannel {
 public:
  // problem() is not empty where the memory cannot be had or the job does not fit.
  SharedChannel(const Job& job, const ThreadNames& names);
  ~SharedChannel();
  SharedChannel(const SharedChannel&) = delete;
  SharedChannel& operator=(const SharedChannel&) = delete;

  const std::string& problem() const { return problem_; }
  int descriptor() const { return descriptor_; }
  Channel& channel() { return *channel_; }
  const Channel& channel() const { return *channel_; }

  // The worker's report; nothing where it is not there or damaged.
  std::optional<Report> report(ThreadNames& names) const;

  // The plan that the worker was running when it was last heard of.
  Plan running_plan(ThreadNames& names) const;

 private:
  int descriptor_ = -1;
  Channel* channel_ = nullptr;
  std::string problem_;
};

}  // namespace thrum
