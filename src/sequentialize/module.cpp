// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The module's entry: module.hpp says why there is one.
#include "sequentialize/module.hpp"

extern "C" __attribute__((visibility("default"))) void thrum_sequentialize(const thrum::seq::Request& request,
                                                                           thrum::seq::Reply& reply) {
  try {
    reply.program = thrum::seq::sequentialize(request.files, request.options);
  } catch (const thrum::seq::SourceError& error) {
    reply.message = error.what();
    reply.where = error.where();
  } catch (const std::exception& error) {
    reply.message = std::string("internal error: ") + error.what();
  }
}
