// A segment without a name between two processes, by the inlined ends: the descriptor goes over a socket, and a third
// view watches.

#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "gimmal/shm.hpp"

namespace shm = gimmal::shm;
namespace waiting = gimmal::wait;

namespace {

struct whole {
  std::uint64_t id;
  std::uint32_t parts[2];
};

struct price {
  std::uint64_t id;
  double value;
};

} // namespace

// Vouched for: two words side by side.
template <> struct gimmal::shm::is_plain<price> : std::true_type {};

namespace {

static_assert(shm::is_plain<whole>::value && shm::is_plain<double>::value && shm::is_plain<std::uint8_t>::value);

constexpr std::uint64_t count = 10007;
constexpr unsigned seconds = 60;

void send(int socket, int descriptor) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr *const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  CHECK(::sendmsg(socket, &message, 0) == 1);
}

int receive(int socket) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  CHECK(::recvmsg(socket, &message, 0) == 1);
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
  return descriptor;
}

template <shm::kind K> int produce(int socket) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::alarm(seconds);
  const int descriptor = receive(socket);
  shm::producer<std::uint64_t, K> tx(shm::segment::passed(descriptor));
  ::close(descriptor);
  CHECK(tx.status() == GIMMAL_OK);
  waiting::park park(waiting::scope::machine);
  for (std::uint64_t id = 0; id < count; ++id) {
    CHECK(tx.push_wait(id, park) == GIMMAL_OK);
    tx.notify(park);
  }
  tx.close();
  return 0;
}

template <shm::kind K> void pass(std::size_t producers) {
  int sockets[2];
  CHECK(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) == 0);
  const pid_t child = ::fork();
  CHECK(child >= 0);
  if (child == 0) {
    ::_exit(produce<K>(sockets[1]));
  }
  shm::consumer<std::uint64_t, K> rx(shm::segment::anonymous().capacity(64).producers(producers));
  CHECK(rx.status() == GIMMAL_OK);
  int descriptor = -1;
  CHECK(rx.share(descriptor) == GIMMAL_OK);
  shm::tap<std::uint64_t, K> tap(shm::segment::passed(descriptor));
  CHECK(tap && tap.is_current());
  const shm::tap<std::uint32_t, K> other(shm::segment::passed(descriptor));
  CHECK(!other && other.status() == GIMMAL_MISMATCH);
  const shm::consumer<std::uint64_t, K> second(shm::segment::passed(descriptor));
  CHECK(second.status() == GIMMAL_BUSY);
  send(sockets[0], descriptor);
  ::close(descriptor);
  waiting::park park(waiting::scope::machine);
  std::uint64_t next = 0;
  std::uint64_t seen = 0;
  const auto watch = [&] {
    for (std::uint64_t value = 0; tap.try_next(value); ++seen) {
      CHECK(value == seen + tap.missed());
    }
  };
  // The first is watched before anybody takes it.
  while (seen == 0) {
    watch();
  }
  for (;;) {
    std::uint64_t value = 0;
    const gimmal_status_t status = rx.pop_wait(value, park);
    if (status == GIMMAL_CLOSED) {
      break;
    }
    CHECK(status == GIMMAL_OK && value == next);
    ++next;
    rx.notify(park);
    watch();
  }
  watch();
  CHECK(next == count && seen > 0 && seen + tap.missed() == count);
  tap.reset();
  CHECK(!tap);
  int status = 0;
  CHECK(::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  ::close(sockets[0]);
  ::close(sockets[1]);
}

} // namespace

int main() {
  ::alarm(seconds);
  CHECK(shm::tap<std::uint64_t>().status() == GIMMAL_UNINITIALISED);
  CHECK(shm::tap<whole>().status() == GIMMAL_UNINITIALISED);
  CHECK(shm::producer<price>().status() == GIMMAL_UNINITIALISED);
  CHECK(shm::tap<std::uint64_t>(shm::segment("a/b")).status() == GIMMAL_BAD_NAME);
  CHECK(shm::producer<std::uint64_t>(shm::segment::passed(-1)).status() == GIMMAL_BAD_OPTION);
  pass<shm::kind::line>(1);
  pass<shm::kind::index>(1);
  pass<shm::kind::mpsc>(2);
  pass<shm::kind::lanes>(2);
  return 0;
}
