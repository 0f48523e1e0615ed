// libmicrohttpd as a module: what starts it takes arguments of any kind, which Swift cannot call.
#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

// A socket that listens on 127.0.0.1, at any free port for 0; -1, with errno, where there is none.
static inline int deckhand_listen(uint16_t port, uint16_t *bound) {
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -1;
  int on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof address;
  if (setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
      bind(descriptor, (struct sockaddr *)&address, length) == 0 && listen(descriptor, 16) == 0 &&
      getsockname(descriptor, (struct sockaddr *)&address, &length) == 0) {
    *bound = ntohs(address.sin_port);
    return descriptor;
  }
  int why = errno;
  close(descriptor);
  errno = why;
  return -1;
}

struct deckhand_http_limits {
  unsigned int connections;
  // Seconds without a byte.
  unsigned int silence;
  // Bytes of the head of a request.
  size_t head;
};

// What is called for requests and connections; each is given the context. `take` is called with the head of a request,
// then with each piece of its body, then without one; 0 ends the connection. `place` is the request's own.
struct deckhand_http_handlers {
  void *context;
  int (*take)(void *context, struct MHD_Connection *, const char *method, const char *bytes, size_t *count, void **place);
  void (*end)(void *context, struct MHD_Connection *, void **place);
  void (*change)(void *context, struct MHD_Connection *, int is_open);
};

// The one thread of the caller runs it. The handlers are kept, not copied.
struct MHD_Daemon *deckhand_http_start(
    int descriptor, struct deckhand_http_limits limits, struct deckhand_http_handlers *handlers);

// Waits until there is something to run, at most so many milliseconds (-1: for ever), and runs it. Says whether another
// descriptor has become readable, which comes first. By select: with epoll, a connection that is closed right after its
// last bytes stays until its time is over (0.9.75).
int deckhand_http_run(struct MHD_Daemon *daemon, int other, int milliseconds);

int deckhand_http_socket(struct MHD_Connection *connection);

// A header of a request; nothing where it has none.
const char *deckhand_http_header(struct MHD_Connection *connection, const char *name);

// An answer with a copy of the bytes.
struct MHD_Response *deckhand_http_response(const void *bytes, size_t count);

// Both say whether it was taken.
int deckhand_http_add(struct MHD_Response *response, const char *name, const char *value);
int deckhand_http_send(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response);
