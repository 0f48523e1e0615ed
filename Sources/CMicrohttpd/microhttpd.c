// Invariant: every function here only converts the values of one libmicrohttpd call.
// Measured: parameters 8, as libmicrohttpd calls it.
#include "cmicrohttpd.h"

static enum MHD_Result take(
    void *context, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *bytes, size_t *count, void **place) {
  (void)url;
  (void)version;
  struct deckhand_http_handlers *handlers = context;
  return handlers->take(handlers->context, connection, method, bytes, count, place) ? MHD_YES : MHD_NO;
}

static void end(
    void *context, struct MHD_Connection *connection, void **place, enum MHD_RequestTerminationCode why) {
  (void)why;
  struct deckhand_http_handlers *handlers = context;
  handlers->end(handlers->context, connection, place);
}

static void change(
    void *context, struct MHD_Connection *connection, void **own, enum MHD_ConnectionNotificationCode what) {
  (void)own;
  struct deckhand_http_handlers *handlers = context;
  handlers->change(handlers->context, connection, what == MHD_CONNECTION_NOTIFY_STARTED);
}

struct MHD_Daemon *deckhand_http_start(
    int descriptor, struct deckhand_http_limits limits, struct deckhand_http_handlers *handlers) {
  return MHD_start_daemon(
      MHD_NO_FLAG, 0, NULL, NULL, take, handlers, MHD_OPTION_LISTEN_SOCKET, descriptor, MHD_OPTION_CONNECTION_LIMIT,
      limits.connections, MHD_OPTION_CONNECTION_TIMEOUT, limits.silence, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      limits.head, MHD_OPTION_NOTIFY_COMPLETED, end, handlers, MHD_OPTION_NOTIFY_CONNECTION, change, handlers,
      MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

int deckhand_http_run(struct MHD_Daemon *daemon, int other, int milliseconds) {
  fd_set reading, writing, failing;
  FD_ZERO(&reading);
  FD_ZERO(&writing);
  FD_ZERO(&failing);
  int last = other;
  FD_SET(other, &reading);
  if (MHD_get_fdset(daemon, &reading, &writing, &failing, &last) != MHD_YES) return 1;
  MHD_UNSIGNED_LONG_LONG left = 0;
  if (MHD_get_timeout(daemon, &left) == MHD_YES && (milliseconds < 0 || left < (MHD_UNSIGNED_LONG_LONG)milliseconds))
    milliseconds = left > 60000 ? 60000 : (int)left;
  struct timeval time = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
  if (select(last + 1, &reading, &writing, &failing, milliseconds < 0 ? NULL : &time) < 0) return errno != EINTR;
  if (FD_ISSET(other, &reading)) return 1;
  MHD_run_from_select(daemon, &reading, &writing, &failing);
  return 0;
}

int deckhand_http_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}

const char *deckhand_http_header(struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

struct MHD_Response *deckhand_http_response(const void *bytes, size_t count) {
  return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

int deckhand_http_add(struct MHD_Response *response, const char *name, const char *value) {
  return MHD_add_response_header(response, name, value) == MHD_YES;
}

int deckhand_http_send(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
  return MHD_queue_response(connection, status, response) == MHD_YES;
}
