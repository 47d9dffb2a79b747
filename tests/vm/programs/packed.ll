; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Vectors whose elements are no whole bytes lie in memory as one integer.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@format = private constant [4 x i8] c"%d\0A\00"
@bits = global i16 0

declare i32 @printf(ptr, ...)

define i32 @main() {
  %place = alloca i32
  store i32 -1, ptr %place
  %byte = load volatile i32, ptr %place
  %first = trunc i32 %byte to i1
  %one = insertelement <12 x i1> zeroinitializer, i1 %first, i32 3
  %two = insertelement <12 x i1> %one, i1 %first, i32 10
  store volatile <12 x i1> %two, ptr @bits
  %whole = load volatile i16, ptr @bits
  %shown = zext i16 %whole to i32
  %a = call i32 (ptr, ...) @printf(ptr @format, i32 %shown)
  store i16 2049, ptr @bits
  %back = load volatile <12 x i1>, ptr @bits
  %wide = zext <12 x i1> %back to <12 x i32>
  %lowest = extractelement <12 x i32> %wide, i32 0
  %second = extractelement <12 x i32> %wide, i32 1
  %highest = extractelement <12 x i32> %wide, i32 11
  %b = call i32 (ptr, ...) @printf(ptr @format, i32 %lowest)
  %c = call i32 (ptr, ...) @printf(ptr @format, i32 %second)
  %d = call i32 (ptr, ...) @printf(ptr @format, i32 %highest)
  ret i32 0
}
