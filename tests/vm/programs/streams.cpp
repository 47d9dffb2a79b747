#include <clocale>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <system_error>
#include <charconv>
#include <complex>
#include <ctime>
#include <fstream>

template <typename T>
void show(const T& value) {
  std::ostringstream out;
  out << value << ' ' << std::setw(12) << std::left << value << '|' << std::setw(12) << std::right << std::setfill('*') << value << '|' << std::showpos << value;
  std::cout << out.str() << '\n';
}
template <typename T>
void read(const char* text) {
  std::istringstream in(text);
  T value{};
  in >> value;
  std::cout << text << " -> " << value << ' ' << in.good() << in.eof() << in.fail() << '\n';
}
static void numbers() {
  std::cout << "text " << 'c' << ' ' << 42 << ' ' << -7L << ' ' << 3000000000U << ' ' << true << std::boolalpha << ' ' << false << std::noboolalpha << std::endl;
  std::cout << std::hex << std::showbase << 255 << ' ' << std::oct << 8 << ' ' << std::dec << std::uppercase << std::hex << 0xabc << std::nouppercase << std::dec << std::noshowbase << '\n';
  for (double d : {0.0, 1.5, -2.25, 1e100, 1e-7, 123456789.0, std::numeric_limits<double>::infinity()}) {
    show(d);
    std::cout << std::fixed << std::setprecision(3) << d << ' ' << std::scientific << d << ' ' << std::defaultfloat << std::setprecision(6) << d << ' ' << (float)d << ' ' << (long double)d << ' ' << std::hexfloat << d << std::defaultfloat << '\n';
  }
  show(42);
  show("string");
  show(std::string("std string"));
}

static void input() {
  read<int>("123abc");
  read<int>("99999999999");
  read<unsigned>("0x10");
  read<double>("3.25e2 rest");
  read<double>("x");
  read<float>("1e50");
  read<long double>("2.5");
  read<std::string>("  word next");
  read<char>(" x");
  read<bool>("1");
  read<std::complex<double>>("(1,2)");
  std::istringstream lines("first line\nsecond\n\nlast");
  for (std::string line; std::getline(lines, line);) std::cout << '<' << line << '>';
  std::cout << '\n';
  int number = 5;
  std::cin >> number;
  std::cout << number << std::cin.eof() << std::cin.fail() << '\n';
}

static void locales() {
  std::cout << std::setlocale(LC_ALL, nullptr) << ' ' << (std::setlocale(LC_ALL, "") != nullptr) << ' ' << (std::setlocale(LC_ALL, "xx_YY") == nullptr) << ' ' << std::setlocale(LC_ALL, "C") << '\n';
  const lconv* c = std::localeconv();
  std::cout << '[' << c->decimal_point << "][" << c->thousands_sep << "] " << int(c->frac_digits) << '\n';
  std::cout << std::locale().name() << ' ' << std::locale::classic().name() << ' ' << (std::locale() == std::locale::classic()) << '\n';
  try {
    std::locale wrong("no_SUCH");
    std::cout << "?\n";
  } catch (const std::runtime_error& e) {
    std::cout << e.what() << '\n';
  }
  const auto& type = std::use_facet<std::ctype<char>>(std::locale());
  for (char ch : std::string("aZ5 \t!_")) std::cout << type.is(std::ctype_base::alpha, ch) << type.is(std::ctype_base::space, ch) << type.is(std::ctype_base::punct, ch) << type.toupper(ch) << type.tolower(ch) << ' ';
  std::cout << '\n';
  const auto& wide = std::use_facet<std::ctype<wchar_t>>(std::locale());
  for (wchar_t ch : std::wstring(L"aZ5 !")) std::cout << wide.is(std::ctype_base::alpha, ch) << wide.is(std::ctype_base::upper, ch) << wide.narrow(wide.toupper(ch), '?') << ' ';
  std::cout << '\n';
  const auto& order = std::use_facet<std::collate<char>>(std::locale());
  std::string a = "abc", b = "abd";
  std::cout << order.compare(a.data(), a.data() + 3, b.data(), b.data() + 3) << order.transform(a.data(), a.data() + 3) << order.hash(a.data(), a.data() + 3) << '\n';
}

static void dates() {
  std::tm time = {};
  time.tm_year = 124;
  time.tm_mon = 1;
  time.tm_mday = 29;
  time.tm_wday = 4;
  time.tm_yday = 59;
  std::cout << std::put_time(&time, "%Y-%m-%d %H:%M:%S %a %A %b %B %p %c %x %X %j") << '\n';
  std::istringstream when("2023-11-14 22:13:20");
  std::tm got = {};
  when >> std::get_time(&got, "%Y-%m-%d %H:%M:%S");
  std::cout << got.tm_year << ' ' << got.tm_mon << ' ' << got.tm_mday << ' ' << got.tm_hour << ' ' << when.fail() << '\n';
  std::cout << std::put_money(123456) << ' ' << std::showbase << std::put_money("999") << std::noshowbase << '\n';
}

static void texts() {
  std::wostringstream wout;
  wout << L"wide " << 42 << L' ' << 2.5 << ' ' << "narrow";
  std::wstring ws = wout.str();
  std::cout << ws.size() << ' ' << std::string(ws.begin(), ws.end()) << '\n';
  std::wistringstream win(L"17 words");
  int n;
  std::wstring w;
  win >> n >> w;
  std::cout << n << ' ' << w.size() << '\n';
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + 64, 3.14159).ptr;
  std::cout << std::string(buffer, end) << ' ';
  end = std::to_chars(buffer, buffer + 64, 1e300, std::chars_format::scientific, 5).ptr;
  std::cout << std::string(buffer, end) << ' ';
  end = std::to_chars(buffer, buffer + 64, 2.5L).ptr;
  std::cout << std::string(buffer, end) << ' ';
  double d = 0;
  const char short_text[] = "2.75";
  std::from_chars(short_text, short_text + 4, d);
  const char text[] = "2.75e1z";
  auto result = std::from_chars(text, text + 7, d);
  std::cout << d << ' ' << result.ptr - text << '\n';
  std::cout << std::to_string(1.5) << std::stoi("77") << std::stod("2.5") << ' ' << std::stoul("ff", nullptr, 16) << '\n';
  try {
    std::stoi("none");
  } catch (const std::invalid_argument& e) {
    std::cout << e.what() << '\n';
  }
}

int main() {
  numbers();
  input();
  locales();
  dates();
  texts();
  try {
    throw std::system_error(ENOENT, std::generic_category(), "here");
  } catch (const std::system_error& e) {
    std::cout << e.what() << ' ' << std::error_code(EAGAIN, std::system_category()).message() << '\n';
  }
  std::ifstream missing("/no/such/file");
  std::cout << missing.is_open() << missing.good() << '\n';
  std::cout << std::ios::sync_with_stdio(false) << '\n';
  std::cout << "after" << std::flush << "wards\n";
  return 0;
}
