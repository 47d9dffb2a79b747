// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The module's entry: boolprog/from_c.hpp says why there is one.
#include "boolprog/from_c.hpp"
#include "cprogram/translate.hpp"

extern "C" __attribute__((visibility("default"))) void thrum_from_c(const thrum::bp::FromCRequest& request,
                                                                    thrum::bp::FromCReply& reply) {
  thrum::cprogram::Options options{.bits = request.bits, .include_folders = request.include_folders};
  try {
    reply.program = thrum::cprogram::translate(request.path, request.text, options);
    reply.text = thrum::cprogram::to_text(reply.program, request.path, options);
  } catch (const thrum::cprogram::SourceError& error) {
    reply.message = error.what();
    reply.file = error.file();
    reply.where = error.where();
  } catch (const std::exception& error) {
    reply.message = std::string("internal error: ") + error.what();
    reply.file = request.path;
  }
}
