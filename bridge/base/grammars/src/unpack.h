// Stands in a `parser.c` in the place of its parse table; see lib.rs. Wants `packed_parse_table` (LZ4, one block)
// and `ts_parse_table`, which is empty until `unpack_parse_table` was called.
#include <pthread.h>
#include <stdlib.h>

int LZ4_decompress_safe(const char *source, char *target, int source_bytes, int target_bytes);

static void unpack_parse_table_now(void) {
  int size = (int)sizeof ts_parse_table;
  int unpacked = LZ4_decompress_safe(
    (const char *)packed_parse_table, (char *)ts_parse_table, (int)sizeof packed_parse_table, size
  );
  // Not what the build script packed: no parser can work with that.
  if (unpacked != size) abort();
}

static void unpack_parse_table(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, unpack_parse_table_now);
}
