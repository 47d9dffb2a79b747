// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reporting.hpp"

namespace thrum {

namespace {

class Nothing final : public Reporting {};

}  // namespace

Reporting& Reporting::nothing() {
  static constinit Nothing nothing;
  return nothing;
}

}  // namespace thrum
