// libmicrohttpd as a module: its start function is variadic, which Swift cannot call.
#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

// Returns a socket that listens on 127.0.0.1, on any free port if `port` is 0; -1, with errno set, on failure.
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
  // The maximum size of a request's headers in bytes.
  size_t head;
};

// The callbacks for requests and connections; each receives the context. `take` is called with the headers of a
// request, then with each piece of its body, then with an empty piece; returning 0 ends the connection. `place` belongs
// to the request.
struct deckhand_http_handlers {
  void *context;
  int (*take)(void *context, struct MHD_Connection *, const char *method, const char *bytes, size_t *count, void **place);
  void (*end)(void *context, struct MHD_Connection *, void **place);
  void (*change)(void *context, struct MHD_Connection *, int is_open);
};

// Runs in the caller's only thread. The handlers are not copied and must stay valid.
struct MHD_Daemon *deckhand_http_start(
    int descriptor, struct deckhand_http_limits limits, struct deckhand_http_handlers *handlers);

// Waits until there is something to do, at most that many milliseconds (-1: forever), and does it. Returns whether the
// other descriptor has become readable, which takes precedence, or whether it failed. It uses select: with epoll, a
// connection that is closed right after its last bytes stays until its timeout (0.9.75).
int deckhand_http_run(struct MHD_Daemon *daemon, int other, int milliseconds);

int deckhand_http_socket(struct MHD_Connection *connection);

// Returns a header of a request; NULL if it has none.
const char *deckhand_http_header(struct MHD_Connection *connection, const char *name);

// Creates an answer with a copy of the bytes.
struct MHD_Response *deckhand_http_response(const void *bytes, size_t count);

// Both return whether it succeeded.
int deckhand_http_add(struct MHD_Response *response, const char *name, const char *value);
int deckhand_http_send(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response);
