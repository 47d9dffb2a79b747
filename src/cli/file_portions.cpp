// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/file_portions.hpp"

#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace thrum {

namespace {

constexpr std::size_t kPortion = std::size_t{1} << 20;
constexpr int kLevel = ZSTD_CLEVEL_DEFAULT;  // docs/experiments/051-compressed-checkpoints.md

bool fail(int error) {
  errno = error;
  return false;
}

}  // namespace

bool write_all(int file, std::string_view bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t done = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
  return true;
}

bool read_all(int file, std::string& bytes, std::uint64_t offset) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t result =
        pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (result < 0 && errno == EINTR) continue;
    if (result < 0) return false;
    if (result == 0) return fail(EIO);
    done += static_cast<std::size_t>(result);
  }
  return true;
}

bool read_part(const FilePart& part, const TakePortion& take) {
  std::string portion;
  for (std::uint64_t done = 0; done < part.size; done += portion.size()) {
    portion.resize(std::min<std::uint64_t>(part.size - done, kPortion));
    if (!read_all(part.file, portion, part.offset + done) || !take(portion)) return false;
  }
  return true;
}

bool read_compressed(const FilePart& part, const TakePortion& take) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (!context) return fail(ENOMEM);
  std::string plain(ZSTD_DStreamOutSize(), '\0');
  bool at_end = false;
  auto take_compressed = [&](std::string_view portion) {
    ZSTD_inBuffer in{portion.data(), portion.size(), 0};
    for (bool is_full = false; in.pos < in.size || is_full;) {
      if (at_end) return fail(EIO);  // something follows the frame
      ZSTD_outBuffer out{plain.data(), plain.size(), 0};
      const std::size_t left = ZSTD_decompressStream(context.get(), &out, &in);
      if (ZSTD_isError(left)) return fail(EIO);
      if (out.pos > 0 && !take(std::string_view(plain).substr(0, out.pos))) return false;
      at_end = left == 0;
      is_full = !at_end && out.pos == out.size;
    }
    return true;
  };
  if (!read_part(part, take_compressed)) return false;
  return at_end || fail(EIO);
}

bool compress_part(const FilePart& part, const TakePortion& take) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  if (!context || ZSTD_isError(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel)))
    return fail(ENOMEM);
  std::string compressed(ZSTD_CStreamOutSize(), '\0');
  auto compress = [&](std::string_view portion, ZSTD_EndDirective mode) {
    ZSTD_inBuffer in{portion.data(), portion.size(), 0};
    for (bool is_done = false; !is_done;) {
      ZSTD_outBuffer out{compressed.data(), compressed.size(), 0};
      const std::size_t left = ZSTD_compressStream2(context.get(), &out, &in, mode);
      if (ZSTD_isError(left)) return fail(ENOMEM);
      if (out.pos > 0 && !take(std::string_view(compressed).substr(0, out.pos))) return false;
      is_done = mode == ZSTD_e_end ? left == 0 : in.pos == in.size;
    }
    return true;
  };
  return read_part(part, [&](std::string_view portion) { return compress(portion, ZSTD_e_continue); }) &&
         compress({}, ZSTD_e_end);
}

}  // namespace thrum
