// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace thrum {

const std::vector<SourceLine>& TraceFile::lines(const Place& place) const {
  static const std::vector<SourceLine> kNone;
  if (place.space != Place::Space::module) return kNone;
  auto found = symbols.code.find({place.owner, place.offset});
  return found == symbols.code.end() ? kNone : found->second;
}

std::string TraceFile::place_name(const Place& place) const {
  switch (place.space) {
    case Place::Space::none: return "";
    case Place::Space::other: return fmt::format("{:#x}", place.offset);
    case Place::Space::stack:
      if (auto local = symbols.locals.find(place); local != symbols.locals.end()) return local->second;
      return fmt::format("stack of {} - {}", names.name(place.owner), place.offset);
    case Place::Space::heap: {
      auto known =
          std::find_if(trace.details.blocks.begin(), trace.details.blocks.end(), [&](const HeapBlock& block) {
            return block.thread == place.owner && block.number == place.number;
          });
      std::string block = known == trace.details.blocks.end()
                              ? fmt::format("block {} of {}", place.number, names.name(place.owner))
                              : fmt::format("block {}", known - trace.details.blocks.begin() + 1);
      return place.offset == 0 ? block : fmt::format("{}+{}", block, place.offset);
    }
    case Place::Space::module: break;
  }
  auto found = symbols.data.find({place.owner, place.offset});
  if (found != symbols.data.end()) return found->second;
  std::string path = place.owner < modules.size() ? modules[place.owner] : "?";
  return fmt::format("{}+{:#x}", path.substr(path.rfind('/') + 1), place.offset);
}

std::string TraceFile::pointee_name(const Place& place) const {
  auto known = symbols.pointers.find(place);
  return known == symbols.pointers.end() ? place_name(place) : known->second;
}

}  // namespace thrum
