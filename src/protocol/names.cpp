// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/names.hpp"

namespace thrum {

void write_names(ByteWriter& out, const ProgramNames& names) {
  out.put(static_cast<std::uint32_t>(names.code.size()));
  for (const NamedCode& code : names.code) {
    out.put(code.offset);
    out.put(static_cast<std::uint32_t>(code.lines.size()));
    for (const CodeLine& line : code.lines) {
      out.put_string(line.function);
      out.put_string(line.file);
      out.put(line.line);
    }
  }
  out.put(static_cast<std::uint32_t>(names.data.size()));
  for (const NamedData& data : names.data) {
    out.put(data.offset);
    out.put(data.size);
    out.put_string(data.name);
  }
  out.put(static_cast<std::uint32_t>(names.locals.size()));
  for (const NamedLocal& local : names.locals) {
    out.put(local.function);
    out.put(local.distance);
    out.put(local.size);
    out.put_string(local.of);
    out.put_string(local.name);
  }
}

ProgramNames read_names(ByteReader& in) {
  ProgramNames names;
  for (std::uint32_t left = in.get_count(); left != 0 && in.ok(); --left) {
    NamedCode& code = names.code.emplace_back();
    code.offset = in.get<std::uint64_t>();
    for (std::uint32_t lines = in.get_count(); lines != 0 && in.ok(); --lines) {
      CodeLine& line = code.lines.emplace_back();
      line.function = in.get_string();
      line.file = in.get_string();
      line.line = in.get<std::uint32_t>();
    }
  }
  for (std::uint32_t left = in.get_count(); left != 0 && in.ok(); --left) {
    NamedData& data = names.data.emplace_back();
    data.offset = in.get<std::uint64_t>();
    data.size = in.get<std::uint64_t>();
    data.name = in.get_string();
  }
  for (std::uint32_t left = in.get_count(); left != 0 && in.ok(); --left) {
    NamedLocal& local = names.locals.emplace_back();
    local.function = in.get<std::uint64_t>();
    local.distance = in.get<std::uint64_t>();
    local.size = in.get<std::uint64_t>();
    local.of = in.get_string();
    local.name = in.get_string();
  }
  return names;
}

}  // namespace thrum
