// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "functions.hpp"

namespace thrum {
namespace {

// Orders are compared by their signs: the C library's number is another on other processors.
class WideStrings : public testing::Test {
 protected:
  // Two texts, often alike for a while.
  void draw() {
    a_ = inputs_.wide_text(24);
    b_ = inputs_.number(2) == 0 ? inputs_.wide_text(24) : a_;
    if (!b_.empty() && inputs_.number(1) == 0) b_[inputs_.number(b_.size() - 1)] = L'c';
    if (inputs_.number(2) == 0) b_ = b_.substr(0, inputs_.number(b_.size()));
    first_ = left_.place_string(a_);
    second_ = right_.place_string(b_);
    most_ = inputs_.number(26);
  }
  wchar_t character() {
    const std::wstring text = inputs_.wide_text(1);
    return text.empty() ? L'\0' : text[0];
  }

  Inputs inputs_;
  Guarded left_, right_, out_;
  std::wstring a_, b_;
  wchar_t *first_ = nullptr, *second_ = nullptr;
  std::size_t most_ = 0;
};

TEST_F(WideStrings, Blocks) {
  for (int i = 0; i < kRandomInputs; ++i) {
    draw();
    a_ = inputs_.with_zeros(a_);
    const wchar_t* from = left_.place(a_);
    wchar_t* out = out_.place(std::wstring(a_.size(), L'#'));
    ASSERT_EQ(vm_wmemcpy(out, from, a_.size()), out);
    ASSERT_EQ(std::wstring(out, a_.size()), a_);
    out = out_.place(std::wstring(a_.size(), L'#'));
    ASSERT_EQ(vm_wmempcpy(out, from, a_.size()), out + a_.size());
    ASSERT_EQ(std::wstring(out, a_.size()), a_);
    const wchar_t wanted = character();
    ASSERT_EQ(vm_wmemchr(from, wanted, a_.size()), std::wmemchr(from, wanted, a_.size()));
    const std::size_t least = std::min(a_.size(), b_.size());
    const wchar_t *one = left_.place(a_.substr(0, least)), *other = right_.place(b_.substr(0, least));
    ASSERT_EQ(sign(vm_wmemcmp(one, other, least)), sign(std::wmemcmp(one, other, least)));
    ASSERT_EQ(vm_wmemset(out, wanted, a_.size()), out);
    ASSERT_EQ(std::wstring(out, a_.size()), std::wstring(a_.size(), wanted));
  }
}

TEST_F(WideStrings, MovesWithinABlock) {
  const std::wstring text = L"abcdefghijkl";
  for (std::size_t from = 0; from <= text.size(); ++from) {
    for (std::size_t to = 0; to <= text.size(); ++to) {
      for (std::size_t size = 0; std::max(from, to) + size <= text.size(); ++size) {
        std::wstring ours = text, theirs = text;
        EXPECT_EQ(vm_wmemmove(ours.data() + to, ours.data() + from, size), ours.data() + to);
        std::wmemmove(theirs.data() + to, theirs.data() + from, size);
        ASSERT_EQ(ours, theirs);
      }
    }
  }
}

TEST_F(WideStrings, LengthsAndOrders) {
  for (int i = 0; i < kRandomInputs; ++i) {
    draw();
    ASSERT_EQ(vm_wcslen(first_), a_.size());
    ASSERT_EQ(vm_wcsnlen(first_, most_), wcsnlen(first_, most_));
    ASSERT_EQ(sign(vm_wcscmp(first_, second_)), sign(std::wcscmp(first_, second_)));
    ASSERT_EQ(sign(vm_wcsncmp(first_, second_, most_)), sign(std::wcsncmp(first_, second_, most_)));
    ASSERT_EQ(sign(vm_wcscoll(first_, second_)), sign(std::wcscoll(first_, second_)));
    const std::size_t least = std::min(a_.size(), b_.size());
    const wchar_t *one = left_.place(a_), *other = right_.place(b_);
    ASSERT_EQ(vm_wcsnlen(one, a_.size()), a_.size());
    ASSERT_EQ(sign(vm_wcsncmp(one, other, least)), sign(std::wcsncmp(one, other, least)));
  }
}

// What a function writes, all of the room compared.
template <class Function>
std::pair<std::ptrdiff_t, std::wstring> written(Guarded& room, const std::wstring& before,
                                                Function function) {
  wchar_t* out = room.place(before);
  const wchar_t* result = function(out);
  return {place_in(out, result), std::wstring(out, before.size())};
}

TEST_F(WideStrings, Copies) {
  for (int i = 0; i < kRandomInputs; ++i) {
    draw();
    const auto same = [&](auto ours, auto theirs, const std::wstring& before) {
      return written(out_, before, ours) == written(out_, before, theirs);
    };
    const wchar_t* text = first_;
    const std::size_t most = most_;
    const std::wstring exact(a_.size() + 1, L'#');
    ASSERT_TRUE(same([&](wchar_t* to) { return vm_wcscpy(to, text); },
                     [&](wchar_t* to) { return std::wcscpy(to, text); }, exact));
    ASSERT_TRUE(same([&](wchar_t* to) { return vm_wcpcpy(to, text); },
                     [&](wchar_t* to) { return wcpcpy(to, text); }, exact));
    ASSERT_TRUE(same([&](wchar_t* to) { return vm_wcsncpy(to, text, most); },
                     [&](wchar_t* to) { return std::wcsncpy(to, text, most); }, std::wstring(most, L'#')));
    std::wstring both = b_ + L'\0' + std::wstring(a_.size(), L'#');
    ASSERT_TRUE(same([&](wchar_t* to) { return vm_wcscat(to, text); },
                     [&](wchar_t* to) { return std::wcscat(to, text); }, both));
    both = b_ + L'\0' + std::wstring(std::min(most, a_.size()), L'#');
    ASSERT_TRUE(same([&](wchar_t* to) { return vm_wcsncat(to, text, most); },
                     [&](wchar_t* to) { return std::wcsncat(to, text, most); }, both));
    std::size_t ours = 0, theirs = 0;
    const auto our_key = [&](wchar_t* to) { return ours = vm_wcsxfrm(to, text, most), to; };
    const auto their_key = [&](wchar_t* to) { return theirs = std::wcsxfrm(to, text, most), to; };
    ASSERT_TRUE(same(our_key, their_key, std::wstring(std::min(most, a_.size() + 1), L'#')));
    ASSERT_EQ(ours, theirs);
    wchar_t* copy = vm_wcsdup(text);
    ASSERT_EQ(copy, a_);
    std::free(copy);
  }
}

TEST_F(WideStrings, Searches) {
  for (int i = 0; i < kRandomInputs; ++i) {
    draw();
    const wchar_t wanted = character();
    ASSERT_EQ(vm_wcschr(first_, wanted), std::wcschr(first_, wanted));
    ASSERT_EQ(vm_wcsrchr(first_, wanted), std::wcsrchr(first_, wanted));
    const std::wstring some = inputs_.wide_text(4);
    const wchar_t* set = right_.place_string(some);
    ASSERT_EQ(vm_wcsspn(first_, set), std::wcsspn(first_, set));
    ASSERT_EQ(vm_wcscspn(first_, set), std::wcscspn(first_, set));
    ASSERT_EQ(vm_wcspbrk(first_, set), std::wcspbrk(first_, set));
    ASSERT_EQ(vm_wcsstr(first_, set), std::wcsstr(first_, set));
    const wchar_t* part = right_.place_string(a_.substr(inputs_.number(a_.size()), inputs_.number(3)));
    ASSERT_EQ(vm_wcsstr(first_, part), std::wcsstr(first_, part));
  }
}

// Where the words begin, what is left, and what the text is like in the end.
std::wstring words_of(std::wstring text, const std::wstring& separators,
                      wchar_t* (*tokenize)(wchar_t*, const wchar_t*, wchar_t**)) {
  text.push_back(L'\0');
  wchar_t* rest = nullptr;
  std::wstring found;
  for (wchar_t* at = text.data(); at != nullptr || found.empty();) {
    at = tokenize(found.empty() ? text.data() : nullptr, separators.c_str(), &rest);
    found += std::to_wstring(place_in(text.data(), at)) + L"," +
             std::to_wstring(place_in(text.data(), rest)) + L" ";
  }
  return found + text;
}

TEST_F(WideStrings, Words) {
  for (int i = 0; i < kRandomInputs; ++i) {
    draw();
    const std::wstring separators = inputs_.wide_text(3);
    ASSERT_EQ(words_of(a_, separators, vm_wcstok), words_of(a_, separators, std::wcstok));
  }
}

}  // namespace
}  // namespace thrum
