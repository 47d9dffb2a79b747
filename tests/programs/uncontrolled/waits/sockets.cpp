// expect: inconclusive
// reason: the program calls socket, which is not under control (in serve, sockets.cpp:
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

void serve() {
  int server = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bind(server, reinterpret_cast<sockaddr*>(&address), sizeof address);
  listen(server, 1);
  accept(server, nullptr, nullptr);
}

int main() { std::thread(serve).join(); }
