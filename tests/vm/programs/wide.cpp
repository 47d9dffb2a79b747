#include <cstdio>
#include <cwchar>
#include <iostream>
int main() {
  std::wcout << L"wide output " << 42 << L' ' << 1.5 << std::endl;
  std::wprintf(L"%ls %s %d\n", L"w", "n", 7);
  std::putwchar(L'x');
  std::fputws(L" text\n", stdout);
  int narrow = std::printf("lost\n");
  std::wprintf(L"%d %d\n", narrow, std::fwide(stdout, 0) > 0);
  int bad = std::fputws(L"\x4e00", stdout);
  std::wprintf(L"%d %d\n", bad, std::ferror(stdout) != 0);
  std::wcout << L"\x416" << L"lost";
  std::wprintf(L"%d\n", std::wcout.fail());
  return 0;
}
