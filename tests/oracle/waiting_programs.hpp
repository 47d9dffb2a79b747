// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs with waiting and retrying loops: locks, barriers and containers as they are written by hand, and
// small ones that mistakes in dropping rounds would show in.
#pragma once

#include "oracle/waiting_code.hpp"

namespace thrum::waiting {

// What a loop's last round left in registers, and the next does not read, is cleared or kept.
enum class Dead : std::uint8_t { cleared, kept };

WaitingCode ttas(int threads, Dead dead);  // test and test-and-set locks
WaitingCode tas(int threads);
WaitingCode ticket(int threads);
WaitingCode barrier(int threads, Dead dead);
WaitingCode mcs(int threads);
WaitingCode seqlock(int readers, int writers);
// Producers and consumers of a ring of four; a compare-exchange that fails loads. There is an element at
// first.
WaitingCode ring(int readers, int writers);
WaitingCode treiber(int push_and_pop, int push, int pop);  // a stack whose top has a count
WaitingCode rwlock(int readers, int writers);  // as in Linux: a counter, taken back where it fails
WaitingCode poll(int threads);                 // of a flag, under a lock; one thread more sets it
WaitingCode writers_and_reader(int writers);

// while (x != 0 || y != 1), beside x = 1; y = 1: passes only with x read early and y read late.
WaitingCode early_and_late_read();
// A thread goes on only since another has seen its transient store. rmw: by a fetch-and-add of 0.
WaitingCode transient_seen(bool rmw);
// The same program as in GenMC's (0.11) false "no errors": what a fetch-and-add reads in the middle of a
// round.
WaitingCode added_and_taken_back();
// A compare-exchange that succeeds though the value was another one in between.
WaitingCode aba_retry();
// Rounds that differ in what they leave behind: the last value read; whether there was one; how many there
// were, modulo four (so four of them make a round).
WaitingCode keeps_last_value();
WaitingCode keeps_whether_it_waited();
WaitingCode counts_rounds_modulo_four();
// Waits for a value that another thread soon takes back, and then for the old one.
WaitingCode waits_for_what_is_taken_back();
// Rounds that count in memory, up to two.
WaitingCode counts_in_memory();
// Behind a transient store another thread writes the byte, whether before or after the round's end is open.
WaitingCode overwritten_behind();

}  // namespace thrum::waiting
