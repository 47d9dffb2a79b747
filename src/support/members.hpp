// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Saving and loading an object by one list of its members, so that the two cannot disagree.
//
// Example: a class that has
//   template <typename Self>
//   static auto members(Self& self) { return std::tie(self.steps_, self.count_); }
// is saved by save_member(out, object) and loaded by load_member(in, object). Its members are numbers,
// optional ones, lists of what has no pointers, or objects that have members(), or save() and load().
//
// The bytes are for the same machine. Tested by members_test.cpp.
#pragma once

#include <optional>
#include <tuple>
#include <type_traits>

#include "support/bytes.hpp"

namespace thrum {

template <typename T>
constexpr bool kIsNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <typename... Members>
void save_members(ByteWriter& out, const std::tuple<Members&...>& members);
template <typename... Members>
void load_members(ByteReader& in, const std::tuple<Members&...>& members);

template <typename T>
void save_member(ByteWriter& out, const T& member) {
  if constexpr (kIsNumber<T>) {
    out.put(member);
  } else if constexpr (requires { member.save(out); }) {
    member.save(out);
  } else if constexpr (requires { T::members(member); }) {
    save_members(out, T::members(member));
  } else {
    out.put_all(member);
  }
}

template <typename T>
void save_member(ByteWriter& out, const std::optional<T>& member) {
  out.put(member.has_value());
  out.put(member.value_or(T{}));
}

template <typename T>
void load_member(ByteReader& in, T& member) {
  if constexpr (kIsNumber<T>) {
    member = in.get<T>();
  } else if constexpr (requires { member.load(in); }) {
    member.load(in);
  } else if constexpr (requires { T::members(member); }) {
    load_members(in, T::members(member));
  } else {
    in.get_all(member);
  }
}

template <typename T>
void load_member(ByteReader& in, std::optional<T>& member) {
  const bool has_value = in.get<bool>();
  const T value = in.get<T>();
  member = has_value ? std::optional<T>(value) : std::nullopt;
}

template <typename... Members>
void save_members(ByteWriter& out, const std::tuple<Members&...>& members) {
  std::apply([&](const auto&... member) { (save_member(out, member), ...); }, members);
}

template <typename... Members>
void load_members(ByteReader& in, const std::tuple<Members&...>& members) {
  std::apply([&](auto&... member) { (load_member(in, member), ...); }, members);
}

}  // namespace thrum
