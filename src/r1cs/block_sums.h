/* Checksums of a large file's blocks, kept in a small text file beside it, so that what is read of the large one can be checked
 * without reading it all.
 *
 *   cuzk-block-sums 1
 *   circuit porep-32g
 *   digest HEX            of the circuit's rows: bellpepper's TestConstraintSystem hash
 *   bytes N               of the file
 *   block HEX             SHA-256 of each 64 MiB, the last block may be shorter; as many lines as blocks
 *   end HEX               SHA-256 of all lines before */
#ifndef CUZK_R1CS_BLOCK_SUMS_H
#define CUZK_R1CS_BLOCK_SUMS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mapped_file.h"

enum { BLOCK_SUMS_BLOCK = 1 << 26, BLOCK_SUMS_ID_BYTES = 32 };

struct block_sums {
    char circuit[BLOCK_SUMS_ID_BYTES + 1];
    uint8_t digest[32];
    uint64_t bytes;
    size_t blocks;
    struct block_sum *block; /* [blocks] */
};
void block_sums_clean_up(struct block_sums *s); /* harmless when zeroed */

/* Strict: ERR_DATA "sums-malformed" (line named), "sums-truncated", "sums-checksum". The text need not end with NUL. */
int block_sums_parse(struct block_sums *s, const char *text, size_t n, struct error *err);
int block_sums_read(struct block_sums *s, const char *path, struct error *err);

/* Whether bytes [offset, offset + n) of the file are as the sums say: each block is hashed when it is first asked about, by one thread;
 * others that want it wait. ERR_DATA "sums-differ" names the file and the block. */
int block_sums_check(struct block_sums *s, const struct mapped_file *file, uint64_t offset,
                     uint64_t n, struct error *err);

/* Sums of a file while it is being written. */
struct block_summer;
struct block_summer *block_summer_new(void); /* NULL without memory */
int block_summer_update(struct block_summer *s, const void *data, size_t n); /* -1 without memory */
void block_summer_destroy(struct block_summer *s);                           /* NULL is harmless */
/* Writes the sidecar of all that was given. */
int block_summer_write(struct block_summer *s, const char *path, const char *circuit,
                       const uint8_t digest[32], struct error *err);

#endif
