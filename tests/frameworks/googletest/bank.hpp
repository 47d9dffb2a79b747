// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of this folder test: small concurrent classes, some of them wrong.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <queue>
#include <thread>
#include <vector>

class Account {
 public:
  explicit Account(int balance) : balance_(balance) {}
  void add(int amount) {
    std::lock_guard<std::mutex> guard(mutex_);
    balance_ += amount;
  }
  int balance() const {
    std::lock_guard<std::mutex> guard(mutex_);
    return balance_;
  }

 private:
  mutable std::mutex mutex_;
  int balance_;
};

// Wrong: between the look and the change another thread may change the balance as well.
class CarelessAccount {
 public:
  explicit CarelessAccount(int balance) : balance_(balance) {}
  bool withdraw(int amount) {
    if (balance_.load() < amount) return false;
    balance_.fetch_sub(amount);
    return true;
  }
  int balance() const { return balance_.load(); }

 private:
  std::atomic<int> balance_;
};

template <typename T>
class Channel {
 public:
  void send(T value) {
    {
      std::lock_guard<std::mutex> guard(mutex_);
      values_.push(std::move(value));
    }
    arrived_.notify_one();
  }
  void close() {
    {
      std::lock_guard<std::mutex> guard(mutex_);
      closed_ = true;
    }
    arrived_.notify_all();
  }
  // Nothing where the channel is closed and empty.
  std::optional<T> receive() {
    std::unique_lock<std::mutex> lock(mutex_);
    arrived_.wait(lock, [&] { return closed_ || !values_.empty(); });
    if (values_.empty()) return std::nullopt;
    T value = std::move(values_.front());
    values_.pop();
    return value;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::queue<T> values_;
  bool closed_ = false;
};

// Locks in the order in which it is given the accounts: wrong, where another thread gives them the other way.
class Transfer {
 public:
  static void run(std::mutex& from, std::mutex& to, int& moved) {
    std::lock_guard<std::mutex> first(from);
    std::lock_guard<std::mutex> second(to);
    ++moved;
  }
};

// Runs each function in a thread of its own, and waits for all.
template <typename... Functions>
void together(Functions... functions) {
  std::vector<std::thread> threads;
  (threads.emplace_back(functions), ...);
  for (std::thread& thread : threads) thread.join();
}
