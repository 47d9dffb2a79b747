// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The other way round: where in an executable a function or a variable of a name lies.
//
// A name is given as people write it, with as much of what stands before "::" as they like: "push" or
// "Queue::push" for jobs::Queue<int>::push(int). What stands in template brackets, and arguments, do not
// count. Every function of that name is meant.
#pragma once

#include <string>
#include <vector>

#include "model/place.hpp"

namespace thrum {

// The code of the functions of that name, and where they were inlined; empty if there is none.
std::vector<OffsetRange> ranges_of_function(const std::string& executable, const std::string& name);

// The bytes of the variables of that name that have static storage duration and are not thread-local; empty
// if there is none.
std::vector<OffsetRange> ranges_of_variable(const std::string& executable, const std::string& name);

}  // namespace thrum
