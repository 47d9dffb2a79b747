// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitcode/reader.hpp"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include "bitcode/decode_program.hpp"

namespace thrum::bitcode {

namespace {

// The last error that LLVM has told of.
class Errors final : public llvm::DiagnosticHandler {
 public:
  explicit Errors(std::string& last) : last_(last) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    last_.clear();
    llvm::raw_string_ostream out(last_);
    llvm::DiagnosticPrinterRawOStream printer(out);
    info.print(printer);
    return true;
  }

 private:
  std::string& last_;
};

// is_library: its functions are read when they are needed, and not looked through for mistakes.
std::unique_ptr<llvm::Module> read(const Input& input, bool is_library, llvm::LLVMContext& context) {
  auto buffer = llvm::MemoryBuffer::getMemBuffer(input.bytes, input.name, false);
  llvm::Expected<std::unique_ptr<llvm::Module>> module =
      is_library ? llvm::getOwningLazyBitcodeModule(std::move(buffer), context)
                 : llvm::parseBitcodeFile(*buffer, context);
  if (!module)
    throw vm::Refused{"the bitcode of " + input.name +
                      " cannot be read: " + llvm::toString(module.takeError())};
  if (is_library) return std::move(*module);
  std::string problem;
  llvm::raw_string_ostream out(problem);
  if (llvm::verifyModule(**module, &out))
    throw vm::Refused{"the bitcode of " + input.name +
                      " is not valid: " + problem.substr(0, problem.find('\n'))};
  const std::string& triple = (*module)->getTargetTriple();
  if (triple.find("x86_64") == std::string::npos)
    throw vm::Refused{"the bitcode of " + input.name + " is for another machine: " + triple};
  return std::move(*module);
}

}  // namespace

static Linked link_all(const std::vector<Input>& program, const std::vector<Input>& libraries, CodeUse use) {
  auto context = std::make_unique<llvm::LLVMContext>();
  std::string error;
  context->setDiagnosticHandler(std::make_unique<Errors>(error));
  auto whole = std::make_unique<llvm::Module>("program", *context);
  llvm::Linker linker(*whole);
  for (const Input& input : program) {
    if (linker.linkInModule(read(input, false, *context)))
      throw vm::Refused{"the bitcode of " + input.name + " cannot be linked with the rest: " + error};
  }
  std::unordered_set<std::string> own;
  for (const llvm::Function& function : *whole) {
    if (!function.isDeclaration()) own.insert(function.getName().str());
  }
  // Nothing in the program asks for it by name.
  for (const char* name : {"thrum_vm_match", "__cxa_current_exception_type"})
    whole->getOrInsertFunction(name, llvm::Type::getVoidTy(*context));
  for (const Input& input : libraries) {
    if (linker.linkInModule(read(input, true, *context), llvm::Linker::Flags::LinkOnlyNeeded))
      throw vm::Refused{"the library " + input.name + " cannot be linked with the program: " + error};
  }
  std::unordered_set<std::string> quiet;
  for (const llvm::Function& function : *whole) {
    if (!function.isDeclaration() && !own.contains(function.getName().str()))
      quiet.insert(function.getName().str());
  }
  auto decoder = std::make_shared<ModuleDecoder>(std::move(context), std::move(whole), std::move(quiet),
                                                 use == CodeUse::states);
  decode_program(*decoder);
  return {&decoder->code(), decoder};
}

// What the bitcode names may hold anything.
Linked link(const std::vector<Input>& program, const std::vector<Input>& libraries, CodeUse use) {
  try {
    return link_all(program, libraries, use);
  } catch (const vm::Refused& refused) {
    throw vm::Refused{one_line(refused.why), refused.missing};
  }
}

}  // namespace thrum::bitcode
