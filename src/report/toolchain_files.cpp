// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names are compared without their ending: an object file whose own symbols were stripped, as a
// distribution's are, is named by ld.bfd after itself ("eh_throw.o"), others after their source
// ("eh_throw.cc"). Tested by toolchain_files_test.cpp.
#include "report/toolchain_files.hpp"

#include <algorithm>
#include <string_view>

namespace thrum {

namespace {

// Each name stands between spaces.
constexpr std::string_view kStartAndLibgcc =
    " crt1 Scrt1 rcrt1 gcrt1 Mcrt1 crti crtn crtbegin crtbeginS crtbeginT crtend crtendS crtstuff crtfastmath"
    " crtprec32 crtprec64 crtprec80 static-reloc abi-note tsan_preinit at_quick_exit atexit pthread_atfork"
    " stack_chk_fail_local libssp_nonshared_la-ssp-local libgcc2 unwind-c unwind-dw2 unwind-dw2-fde-dip"
    " unwind-dw2-btree unwind-sjlj emutls _gcov libgcov-driver libgcov-interface libgcov-merge"
    " libgcov-profiler GCDAProfiling InstrProfiling InstrProfilingBuffer InstrProfilingFile"
    " InstrProfilingInternal InstrProfilingMerge InstrProfilingMergeFile InstrProfilingNameVar"
    " InstrProfilingPlatformLinux InstrProfilingRuntime InstrProfilingUtil InstrProfilingValue"
    " InstrProfilingVersionVar InstrProfilingWriter"
    " addtf3 divtf3"
    " enable-execute-stack eqhf2 eqtf2 extenddftf2 extendhfdf2 extendhfsf2 extendhftf2 extendhfxf2"
    " extendsfdf2 extendsftf2 extendxftf2 fixhfti fixtfdi fixtfsi fixtfti fixunshfti fixunstfdi"
    " fixunstfsi fixunstfti floatditf floatsitf floattihf floattitf floatunditf floatunsitf floatuntihf"
    " floatuntitf getf2 letf2 multf3 negtf2"
    " sfp-exceptions subtf3"
    " truncdfhf2 truncdfsf2 truncsfhf2 trunctfdf2 trunctfhf2 trunctfsf2 trunctfxf2 truncxfhf2 unordtf2 ";

// Without the eh_*.
constexpr std::string_view kLibstdcxx =
    " allocator-inst array_type_info atexit_arm atexit_thread atomicity bad_alloc bad_array_length"
    " bad_array_new bad_cast bad_typeid basic_file basic_file_stdio bitmap_allocator c++locale chrono"
    " class_type_info codecvt codecvt_members collate_members collate_members_cow compatibility"
    " compatibility-atomic-c++0x compatibility-c++0x compatibility-chrono compatibility-condvar"
    " compatibility-debug_list compatibility-debug_list-2 compatibility-thread-c++0x complex_io"
    " concept-inst condition_variable cow-fs_dir cow-fs_ops cow-fs_path cow-fstream-inst"
    " cow-istream-string cow-locale_init cow-shim_facets cow-sstream-inst cow-stdexcept cow-string-inst"
    " cow-string-io-inst cow-wstring-inst cow-wstring-io-inst cp-demangle ctype ctype_configure_char"
    " ctype_members cxx11-hash_tr1 cxx11-ios_failure cxx11-locale-inst cxx11-shim_facets cxx11-stdexcept"
    " cxx11-wlocale-inst debug del_op del_opa del_opant del_opnt del_ops del_opsa del_opv del_opva"
    " del_opvant del_opvnt del_opvs del_opvsa dyncast enum_type_info ext-inst ext11-inst"
    " floating_from_chars floating_to_chars fs_dir fs_error fs_ops fs_path fstream-inst functexcept"
    " function_type_info functional fundamental_type_info futex future globals_io guard guard_error"
    " hash_bytes hash_c++0x hash_tr1 hashtable_c++0x hashtable_tr1 ios ios-inst ios_failure ios_init"
    " ios_locale iostream-inst istream istream-inst istream-string limits list list-aux list-aux-2"
    " list_associated list_associated-2 locale locale-inst locale_facets locale_init localename"
    " lt1-codecvt lt2-cow-string-inst lt3-ostream-inst lt4-string-inst lt5-sstream-inst math_stubs_float"
    " math_stubs_long_double memory_resource messages_members messages_members_cow misc-inst"
    " monetary_members monetary_members_cow mt_allocator mutex nested_exception new_handler new_op"
    " new_opa new_opant new_opnt new_opv new_opva new_opvant new_opvnt numeric_members"
    " numeric_members_cow ostream-inst parallel_settings pbase_type_info placeholders pmem_type_info"
    " pointer_type_info pool_allocator print pure random regex shared_ptr si_class_type_info"
    " snprintf_lite sso_string sstream-inst stacktrace stdexcept streambuf streambuf-inst string-inst"
    " string-io-inst strstream system_error text_encoding thread time_members tinfo tinfo2 tree tzdb"
    " valarray vec vmi_class_type_info vterminate wlocale-inst wstring-inst wstring-io-inst ";

// What stands before the ending; an object file of an archive that CMake made has two: "ubsan_init.cpp.o".
std::string_view stem(std::string_view name) {
  for (std::string_view ending : {".o", ".oS", ".c", ".cc", ".cpp", ".S"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  return name;
}

bool is_among(std::string_view name, std::string_view names) {
  std::string word = " " + std::string(stem(name)) + " ";
  return names.find(word) != std::string_view::npos;
}

bool is_exception_handling(std::string_view name) {
  constexpr std::string_view kOfExceptions = " eh_alloc eh_globals eh_personality eh_terminate eh_throw ";
  return (name.ends_with(".o") || name.ends_with(".cc")) && is_among(name, kOfExceptions);
}

bool is_of_libstdcxx(std::string_view name) {
  bool ending = name.ends_with(".o") || name.ends_with(".cc") || name == "cp-demangle.c";
  return ending && (name.starts_with("eh_") || is_among(name, kLibstdcxx));
}

bool is_of_ubsan(std::string_view name) {
  return name.starts_with("ubsan_") || name.starts_with("sanitizer_") || name.starts_with("sancov_") ||
         name.starts_with("interception_");
}

}  // namespace

std::vector<bool> are_toolchain_files(const std::vector<std::string>& names) {
  bool libstdcxx = std::any_of(names.begin(), names.end(), is_exception_handling);
  bool ubsan = std::any_of(names.begin(), names.end(),
                           [](const std::string& name) { return stem(name) == "sanitizer_common"; });
  std::vector<bool> result;
  for (const std::string& name : names) {
    result.push_back(is_among(name, kStartAndLibgcc) || name == "cpuinfo.o" ||
                     (libstdcxx && is_of_libstdcxx(name)) || (ubsan && is_of_ubsan(name)));
  }
  return result;
}

}  // namespace thrum
