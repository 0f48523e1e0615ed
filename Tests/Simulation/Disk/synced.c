// The bytes and names that were synced, and the disk after a power cut: each piece that was not synced is kept or
// lost.
// Invariant: a file's `synced` bytes are its content at its last sync; a folder's names likewise.

#define _GNU_SOURCE
#include "synced.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { sector = 512 };

// A file at its last sync, by inode; or a folder with its names.
struct node {
  ino_t inode;
  bool is_folder;
  char *synced;
  long size;
  // For a folder: pairs of name and inode, one per entry.
  char **names;
  ino_t *inodes;
  int count;
};

static struct node *nodes;
static int node_count, node_room;
static uint64_t chance;
// The folder that the power cut affects.
static const char *top;

void *real_call(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}

// SplitMix64.
static uint64_t next_number(void) {
  uint64_t mixed = (chance += 0x9E3779B97F4A7C15);
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31);
}

// MARK: Recording syncs

static struct node *node_of(ino_t inode) {
  for (int index = 0; index < node_count; index++)
    if (nodes[index].inode == inode) return &nodes[index];
  return NULL;
}

static struct node *made_node(ino_t inode, bool is_folder) {
  struct node *known = node_of(inode);
  if (known) return known;
  if (node_count == node_room) nodes = realloc(nodes, sizeof *nodes * (node_room = node_room * 2 + 64));
  struct node *made = &nodes[node_count++];
  memset(made, 0, sizeof *made);
  made->inode = inode;
  made->is_folder = is_folder;
  return made;
}

static void empty_node(struct node *node) {
  free(node->synced);
  for (int index = 0; index < node->count; index++) free(node->names[index]);
  free(node->names);
  free(node->inodes);
  node->synced = NULL, node->names = NULL, node->inodes = NULL;
  node->size = node->count = 0;
}

// Returns the bytes of a file; NULL if it has none. The caller frees them.
static char *bytes_of(const char *path, long *size) {
  struct stat status;
  *size = 0;
  int file = REAL(open)(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return NULL;
  char *bytes = NULL;
  if (fstat(file, &status) == 0 && status.st_size > 0) {
    bytes = malloc((size_t)status.st_size);
    while (*size < status.st_size) {
      ssize_t got = pread(file, bytes + *size, (size_t)(status.st_size - *size), *size);
      if (got <= 0) break;
      *size += got;
    }
  }
  REAL(close)(file);
  return bytes;
}

void sync_file(const char *path, ino_t inode) {
  struct node *node = made_node(inode, false);
  empty_node(node);
  node->synced = bytes_of(path, &node->size);
}

static bool is_name(const struct dirent *entry) {
  return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

void sync_folder(const char *path, ino_t inode) {
  DIR *folder = opendir(path);
  if (!folder) return;
  struct node *node = made_node(inode, true);
  empty_node(node);
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (!is_name(entry)) continue;
    node->names = realloc(node->names, sizeof *node->names * (size_t)(node->count + 1));
    node->inodes = realloc(node->inodes, sizeof *node->inodes * (size_t)(node->count + 1));
    node->names[node->count] = strdup(entry->d_name);
    node->inodes[node->count++] = entry->d_ino;
  }
  closedir(folder);
}

// Records everything below a folder as synced.
void sync_all(const char *path) {
  struct stat status;
  if (lstat(path, &status) != 0) return;
  if (S_ISREG(status.st_mode)) sync_file(path, status.st_ino);
  if (!S_ISDIR(status.st_mode)) return;
  sync_folder(path, status.st_ino);
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    char below[PATH_MAX];
    if (is_name(entry) && snprintf(below, sizeof below, "%s/%s", path, entry->d_name) < PATH_MAX) sync_all(below);
  }
  if (folder) closedir(folder);
}

// MARK: After a power cut

// Finds the current path of an inode; empty if it is gone.
static bool find_inode(const char *path, ino_t inode, char *found) {
  struct stat status;
  if (lstat(path, &status) != 0) return false;
  if (status.st_ino == inode) return strcpy(found, path), true;
  if (!S_ISDIR(status.st_mode)) return false;
  bool is_found = false;
  DIR *folder = opendir(path);
  for (struct dirent *entry; !is_found && folder && (entry = readdir(folder));) {
    char below[PATH_MAX];
    if (is_name(entry) && snprintf(below, sizeof below, "%s/%s", path, entry->d_name) < PATH_MAX)
      is_found = find_inode(below, inode, found);
  }
  if (folder) closedir(folder);
  return is_found;
}

static void write_image(const char *path, const char *bytes, long size) {
  int file = REAL(open)(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  for (long done = 0; done < size;) {
    ssize_t wrote = REAL(write)(file, bytes + done, (size_t)(size - done));
    if (wrote <= 0) break;
    done += wrote;
  }
  REAL(close)(file);
}

// Writes a file as it is after the cut: each piece that was not synced is the old or the new one.
static void cut_file(ino_t inode, const char *target) {
  char now_at[PATH_MAX];
  struct node *node = node_of(inode);
  long old_size = node ? node->size : 0, new_size = 0;
  char *new_bytes = find_inode(top, inode, now_at) ? bytes_of(now_at, &new_size) : NULL;
  const char *old_bytes = node ? node->synced : NULL;
  if (!new_bytes && old_size > 0 && !find_inode(top, inode, now_at)) {
    // The file was removed, so no part of it was rewritten.
    write_image(target, old_bytes, old_size);
    return;
  }
  long size = next_number() & 1 ? new_size : old_size;
  char *mixed = calloc(1, (size_t)(size > 0 ? size : 1));
  bool is_all = next_number() % 3 == 0;
  for (long at = 0; at < size; at += sector) {
    long length = size - at < sector ? size - at : sector;
    bool takes_new = is_all || (next_number() & 1);
    const char *from = takes_new ? new_bytes : old_bytes;
    long limit = takes_new ? new_size : old_size;
    if (from && at < limit) memcpy(mixed + at, from + at, (size_t)(limit - at < length ? limit - at : length));
  }
  write_image(target, mixed, size);
  free(mixed);
  free(new_bytes);
}

static void cut_folder(ino_t inode, const char *target);

static void cut_entry(ino_t inode, bool is_folder, const char *name, const char *target) {
  char below[PATH_MAX];
  size_t length = strlen(name);
  // SQLite's shared-memory file, which is only valid until the machine restarts.
  if (length > 4 && strcmp(name + length - 4, "-shm") == 0) return;
  if (snprintf(below, sizeof below, "%s/%s", target, name) >= PATH_MAX) return;
  if (is_folder) cut_folder(inode, below); else cut_file(inode, below);
}

// Writes a folder as it is after the cut: with the names that were synced, or with its current ones.
static void cut_folder(ino_t inode, const char *target) {
  char now_at[PATH_MAX];
  struct node *node = node_of(inode);
  bool is_there = find_inode(top, inode, now_at);
  REAL(mkdir)(target, 0700);
  if (node && (!is_there || (next_number() & 1))) {
    for (int index = 0; index < node->count; index++) {
      char path[PATH_MAX];
      struct stat status;
      struct node *below = node_of(node->inodes[index]);
      bool is_folder = below && below->is_folder;
      if (find_inode(top, node->inodes[index], path) && lstat(path, &status) == 0) is_folder = S_ISDIR(status.st_mode);
      cut_entry(node->inodes[index], is_folder, node->names[index], target);
    }
    return;
  }
  DIR *folder = is_there ? opendir(now_at) : NULL;
  for (struct dirent *entry; folder && (entry = readdir(folder));)
    if (is_name(entry)) cut_entry(entry->d_ino, entry->d_type == DT_DIR, entry->d_name, target);
  if (folder) closedir(folder);
}

// Writes what a killed process leaves behind: everything it wrote.
void copy_all(const char *path, const char *target) {
  struct stat status;
  if (lstat(path, &status) != 0) return;
  if (S_ISREG(status.st_mode)) {
    long size;
    char *bytes = bytes_of(path, &size);
    write_image(target, bytes, size);
    free(bytes);
  }
  if (!S_ISDIR(status.st_mode)) return;
  REAL(mkdir)(target, 0700);
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    char from[PATH_MAX], to[PATH_MAX];
    if (!is_name(entry)) continue;
    if (snprintf(from, sizeof from, "%s/%s", path, entry->d_name) >= PATH_MAX) continue;
    if (snprintf(to, sizeof to, "%s/%s", target, entry->d_name) >= PATH_MAX) continue;
    copy_all(from, to);
  }
  if (folder) closedir(folder);
}

void forget_synced(void) {
  for (int index = 0; index < node_count; index++) empty_node(&nodes[index]);
  node_count = 0;
}

void cut_power(const char *folder, const char *image, uint64_t seed) {
  struct stat status;
  top = folder;
  chance = seed;
  if (lstat(folder, &status) == 0) cut_folder(status.st_ino, image);
}
