// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "functions.hpp"

namespace thrum {
namespace {

int order(int result) { return kOfCLibrary ? result : sign(result); }

class Strings : public testing::Test {
 protected:
  // Two texts, often alike for a while. The second may be in other letters.
  void draw() {
    a_ = inputs_.text(24);
    b_ = inputs_.number(2) == 0 ? inputs_.text(24) : a_;
    if (!b_.empty() && inputs_.number(1) == 0) b_[inputs_.number(b_.size() - 1)] ^= 0x20;
    if (inputs_.number(2) == 0) b_ = b_.substr(0, inputs_.number(b_.size()));
    first_ = left_.place_string(a_);
    second_ = right_.place_string(b_);
    most_ = inputs_.number(26);
  }

  Inputs inputs_;
  Guarded left_, right_, out_;
  std::string a_, b_;
  char *first_ = nullptr, *second_ = nullptr;
  std::size_t most_ = 0;
};

TEST_F(Strings, LengthsAndOrders) {
  for (int i = 0; i < kRandomInputs; ++i) {
    draw();
    ASSERT_EQ(vm_strlen(first_), a_.size());
    ASSERT_EQ(vm_strnlen(first_, most_), strnlen(first_, most_));
    ASSERT_EQ(order(vm_strcmp(first_, second_)), order(std::strcmp(first_, second_))) << a_ << " " << b_;
    ASSERT_EQ(order(vm_strncmp(first_, second_, most_)), order(std::strncmp(first_, second_, most_)))
        << a_ << " " << b_;
    ASSERT_EQ(order(vm_strcasecmp(first_, second_)), order(strcasecmp(first_, second_))) << a_ << " " << b_;
    ASSERT_EQ(order(vm_strncasecmp(first_, second_, most_)), order(strncasecmp(first_, second_, most_)))
        << a_ << " " << b_;
    ASSERT_EQ(order(vm_strcoll(first_, second_)), order(std::strcoll(first_, second_))) << a_ << " " << b_;
    ASSERT_EQ(vm_strcmp(first_, first_), 0);
  }
}

// A text that fills its room need not end.
TEST_F(Strings, WhatHasALimitDoesNotReadBehindIt) {
  for (int i = 0; i < kRandomInputs; ++i) {
    draw();
    const char *first = left_.place(a_), *second = right_.place(b_);
    const std::size_t least = std::min(a_.size(), b_.size());
    ASSERT_EQ(vm_strnlen(first, a_.size()), a_.size());
    ASSERT_EQ(order(vm_strncmp(first, second, least)), order(std::strncmp(first, second, least)));
    ASSERT_EQ(order(vm_strncasecmp(first, second, least)), order(strncasecmp(first, second, least)));
    char* copy = vm_strndup(first, a_.size());
    ASSERT_EQ(copy, a_);
    std::free(copy);
    char* out = out_.place(std::string(a_.size(), '#'));
    ASSERT_EQ(vm_stpncpy(out, first, a_.size()), out + a_.size());
    ASSERT_EQ(std::string(out, a_.size()), a_);
  }
}

// What a function writes, all of the room compared.
template <class Function>
std::pair<std::ptrdiff_t, std::string> written(Guarded& room, const std::string& before, Function function) {
  char* out = room.place(before);
  const auto result = function(out);
  return {place_in(out, result), std::string(out, before.size())};
}

TEST_F(Strings, Copies) {
  for (int i = 0; i < kRandomInputs; ++i) {
    draw();
    const std::string exact(a_.size() + 1, '#');
    const auto same = [&](auto ours, auto theirs, const std::string& before) {
      return written(out_, before, ours) == written(out_, before, theirs);
    };
    const char* text = first_;
    const std::size_t most = most_;
    ASSERT_TRUE(same([&](char* to) { return vm_strcpy(to, text); },
                     [&](char* to) { return std::strcpy(to, text); }, exact));
    ASSERT_TRUE(same([&](char* to) { return vm_stpcpy(to, text); },
                     [&](char* to) { return stpcpy(to, text); }, exact));
    const std::string room(most, '#');
    ASSERT_TRUE(same([&](char* to) { return vm_strncpy(to, text, most); },
                     [&](char* to) { return std::strncpy(to, text, most); }, room));
    ASSERT_TRUE(same([&](char* to) { return vm_stpncpy(to, text, most); },
                     [&](char* to) { return stpncpy(to, text, most); }, room));
    std::string both = b_ + '\0' + std::string(a_.size(), '#');
    ASSERT_TRUE(same([&](char* to) { return vm_strcat(to, text); },
                     [&](char* to) { return std::strcat(to, text); }, both));
    both = b_ + '\0' + std::string(std::min(most, a_.size()), '#');
    ASSERT_TRUE(same([&](char* to) { return vm_strncat(to, text, most); },
                     [&](char* to) { return std::strncat(to, text, most); }, both));
    const std::string key(std::min(most, a_.size() + 1), '#');
    std::size_t ours = 0, theirs = 0;
    const auto our_key = [&](char* to) { return ours = vm_strxfrm(to, text, most), to; };
    const auto their_key = [&](char* to) { return theirs = std::strxfrm(to, text, most), to; };
    ASSERT_TRUE(same(our_key, their_key, key));
    ASSERT_EQ(ours, theirs);
  }
}

TEST_F(Strings, Duplicates) {
  for (int i = 0; i < 100; ++i) {
    draw();
    char *all = vm_strdup(first_), *some = vm_strndup(first_, most_);
    EXPECT_EQ(all, a_);
    EXPECT_EQ(some, a_.substr(0, most_));
    std::free(all);
    std::free(some);
  }
}

TEST_F(Strings, WithoutMemoryThereAreNoDuplicates) {
  no_memory = true;
  EXPECT_EQ(vm_strdup("text"), nullptr);
  EXPECT_EQ(vm_strndup("text", 2), nullptr);
  EXPECT_EQ(vm_wcsdup(L"text"), nullptr);
  no_memory = false;
}

TEST_F(Strings, Searches) {
  for (int i = 0; i < kRandomInputs; ++i) {
    draw();
    const int wanted = inputs_.number(9) == 0 ? 0 : inputs_.character();
    ASSERT_EQ(vm_strchr(first_, wanted), std::strchr(first_, wanted)) << a_ << " " << wanted;
    ASSERT_EQ(vm_index(first_, wanted), std::strchr(first_, wanted));
    ASSERT_EQ(vm_strchrnul(first_, wanted), strchrnul(first_, wanted)) << a_ << " " << wanted;
    ASSERT_EQ(vm_strrchr(first_, wanted), std::strrchr(first_, wanted)) << a_ << " " << wanted;
    ASSERT_EQ(vm_rindex(first_, wanted), std::strrchr(first_, wanted));
    ASSERT_EQ(vm_strspn(first_, second_), std::strspn(first_, second_)) << a_ << " " << b_;
    ASSERT_EQ(vm_strcspn(first_, second_), std::strcspn(first_, second_)) << a_ << " " << b_;
    ASSERT_EQ(vm_strpbrk(first_, second_), std::strpbrk(first_, second_)) << a_ << " " << b_;
    ASSERT_EQ(vm_strstr(first_, second_), std::strstr(first_, second_)) << a_ << " " << b_;
    const char* part = right_.place_string(a_.substr(inputs_.number(a_.size()), inputs_.number(3)));
    ASSERT_EQ(vm_strstr(first_, part), std::strstr(first_, part)) << a_ << " " << part;
    ASSERT_EQ(vm_strspn(first_, part), std::strspn(first_, part)) << a_ << " " << part;
    ASSERT_EQ(vm_strcspn(first_, part), std::strcspn(first_, part)) << a_ << " " << part;
  }
}

using Tokenizer = char* (*)(char*, const char*, char**);

// Where the words begin, what is left, and what the text is like in the end.
std::string words_of(std::string text, const std::string& separators, Tokenizer tokenize) {
  text.push_back('\0');
  char* rest = nullptr;
  std::string found;
  for (char* at = text.data(); at != nullptr || found.empty();) {
    at = tokenize(found.empty() ? text.data() : nullptr, separators.c_str(), &rest);
    found +=
        std::to_string(place_in(text.data(), at)) + "," + std::to_string(place_in(text.data(), rest)) + " ";
  }
  return found + text;
}

TEST_F(Strings, Words) {
  const Tokenizer plain = [](char* text, const char* separators, char**) {
    return vm_strtok(text, separators);
  };
  const Tokenizer their_plain = [](char* text, const char* separators, char**) {
    return std::strtok(text, separators);
  };
  for (int i = 0; i < kRandomInputs; ++i) {
    draw();
    const std::string separators = inputs_.text(3), theirs = words_of(a_, separators, strtok_r);
    ASSERT_EQ(words_of(a_, separators, vm_strtok_r), theirs);
    ASSERT_EQ(words_of(a_, separators, vm___strtok_r), theirs);
    ASSERT_EQ(words_of(a_, separators, plain), words_of(a_, separators, their_plain));
  }
}

}  // namespace
}  // namespace thrum
