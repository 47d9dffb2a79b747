// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Saving and loading an object by one list of its members, so that the two cannot disagree.
//
// Example: a class that has
//   template <typename Self>
//   static auto members(Self& self) { return std::tie(self.steps_, self.count_); }
// is saved by save_member(out, object) and loaded by load_member(in, object). Its members are numbers,
// optional ones, strings, lists, sets, maps, pairs and tuples of such, what has no pointers where it stands
// in a list, or objects that have members(), or save() and load().
//
// The bytes are for the same machine. Tested by members_test.cpp.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/bytes.hpp"

namespace thrum {

template <typename T>
constexpr bool kIsNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// Lists that are not saved as they lie in memory, sets and maps.
template <typename T>
concept SavedOneByOne = requires(const T& all) {
  all.begin();
  all.size();
  typename T::value_type;
}
&&(requires { typename T::key_type; } || std::is_same_v<T, std::vector<bool>> ||
   !std::is_trivially_copyable_v<typename T::value_type>);

template <typename T>
constexpr bool kIsTuple = false;
template <typename... Parts>
constexpr bool kIsTuple<std::tuple<Parts...>> = true;
template <typename First, typename Second>
constexpr bool kIsTuple<std::pair<First, Second>> = true;

// An element of a map or a set, whose key is const there.
template <typename T>
struct Loaded {
  using Type = std::remove_const_t<T>;
};
template <typename First, typename Second>
struct Loaded<std::pair<First, Second>> {
  using Type = std::pair<std::remove_const_t<First>, Second>;
};

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
  } else if constexpr (std::is_same_v<T, std::string>) {
    out.put_string(member);
  } else if constexpr (kIsTuple<T>) {
    std::apply([&](const auto&... part) { (save_member(out, part), ...); }, member);
  } else if constexpr (SavedOneByOne<T>) {
    out.put(static_cast<std::uint32_t>(member.size()));
    for (const typename T::value_type& each : member) save_member(out, each);
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
void load_one_by_one(ByteReader& in, T& members) {
  members.clear();
  for (std::uint32_t left = in.get_count(); left > 0 && in.ok(); --left) {
    typename Loaded<typename T::value_type>::Type each{};
    load_member(in, each);
    members.insert(members.end(), std::move(each));
  }
}

template <typename T>
void load_member(ByteReader& in, T& member) {
  if constexpr (kIsNumber<T>) {
    member = in.get<T>();
  } else if constexpr (requires { member.load(in); }) {
    member.load(in);
  } else if constexpr (requires { T::members(member); }) {
    load_members(in, T::members(member));
  } else if constexpr (std::is_same_v<T, std::string>) {
    member = in.get_string();
  } else if constexpr (kIsTuple<T>) {
    std::apply([&](auto&... part) { (load_member(in, part), ...); }, member);
  } else if constexpr (SavedOneByOne<T>) {
    load_one_by_one(in, member);
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
