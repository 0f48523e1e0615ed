// libcurl as a module: its variadic functions, which Swift cannot call, have a wrapper for each type here.
#pragma once
#include <curl/curl.h>
#include <sys/prctl.h>
#include <sys/resource.h>

typedef size_t (*deckhand_curl_sink)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode deckhand_curl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode deckhand_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

// The text is copied, except for CURLOPT_POSTFIELDS.
static inline CURLcode deckhand_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode deckhand_curl_set_bytes(CURL *handle, CURLoption option, const void *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode deckhand_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode deckhand_curl_set_body(CURL *handle, deckhand_curl_sink sink, void *context) {
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
  return curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, sink);
}

static inline CURLcode deckhand_curl_set_head(CURL *handle, deckhand_curl_sink sink, void *context) {
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
  return curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, sink);
}

static inline CURLcode deckhand_curl_number(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode deckhand_curl_text(CURL *handle, CURLINFO info, const char **value) {
  return curl_easy_getinfo(handle, info, value);
}

// Prevents core files of this process, and other programs of the user from reading its memory.
static inline void deckhand_forbid_dumps(void) {
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
