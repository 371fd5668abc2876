/* SHA-256, BLAKE2 and ChaCha against published vectors and Python's hashlib. */
/* ctest: quick */
/* ctest: asan */
#include "json_data.h"

#include "hash/blake2.h"
#include "hash/chacha.h"
#include "hash/sha256.h"

static uint8_t data[1000]; /* data[i] = 7i + 1 */

static void assert_hex(const uint8_t *got, size_t n, const char *hex)
{
    uint8_t want[64];
    assert_true(n <= sizeof want);
    hex_bytes(want, n, hex);
    assert_memory_equal(got, want, n);
}

static uint32_t rotr(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* One block by FIPS 180-4, to test the tables. */
static void compress(uint32_t h[8], const uint8_t block[64])
{
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + (rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
               (rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(v, h, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t t1 = v[7] + (rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25)) +
                      ((v[4] & v[5]) ^ (~v[4] & v[6])) + SHA256_K[i] + w[i];
        uint32_t t2 = (rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22)) +
                      ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        h[i] += v[i];
}

static void test_sha256(void **state)
{
    (void)state;
    uint8_t d[32];
    sha256(d, "", 0);
    assert_hex(d, 32, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256(d, data, sizeof data);
    assert_hex(d, 32, "095ecb62e30793ab4b954cd6a0586d0cc91f7ea5b1332694d8da780e98676d78");
    struct sha256_stream *s = sha256_new();
    for (size_t at = 0, n = 0; at < sizeof data; at += n, n++) {
        if (n > sizeof data - at)
            n = sizeof data - at;
        sha256_update(s, data + at, n);
    }
    sha256_finish(s, d);
    assert_hex(d, 32, "095ecb62e30793ab4b954cd6a0586d0cc91f7ea5b1332694d8da780e98676d78");

    uint8_t block[64] = {'a', 'b', 'c', 0x80, [63] = 24}, bytes[32];
    uint32_t h[8];
    memcpy(h, SHA256_IV, sizeof h);
    compress(h, block);
    for (int i = 0; i < 32; i++)
        bytes[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
    sha256(d, "abc", 3);
    assert_memory_equal(d, bytes, 32);
}

static void test_blake2(void **state)
{
    (void)state;
    uint8_t d[64];
    blake2b_digest(d, 64, NULL, 0, "abc", 3);
    assert_hex(d, 64,
               "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
               "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
    blake2b_digest(d, 32, "some key", 8, data, sizeof data);
    assert_hex(d, 32, "0426c71deeab7f08d45ba8d4b000d1ff98009c0e6d0da42261465508ffed3a81");
    struct blake2b_stream *b = blake2b_stream_new(16);
    blake2b_stream_update(b, data, 1);
    blake2b_stream_update(b, data + 1, sizeof data - 1);
    blake2b_stream_finish(b, d);
    assert_hex(d, 16, "81536df771ff23cdb89da9c53075bb4a");

    struct blake2s_stream *s = blake2s_stream_new();
    blake2s_stream_update(s, data, 300);
    blake2s_stream_peek(s, d);
    assert_hex(d, 32, "f3fbe7b7c7e10341d90a0955c5f1d49935f32501ffb5687bc3ddfcdb0822c788");
    blake2s_stream_update(s, data + 300, sizeof data - 300);
    blake2s_stream_finish(s, d);
    assert_hex(d, 32, "62b0885ea8f00f68fde2392ba5b0efdbcd38a523b3b23136232b995e0d1c46c3");
}

static void test_chacha(void **state)
{
    (void)state;
    struct chacha c;
    uint8_t key[32] = {0}, nonce[12] = {0}, out[64], far[10];

    chacha_init_rand(&c, key, 8); /* ECRYPT's test vector 1 for ChaCha8 */
    assert_true(chacha_u64(&c) == 0xd6405f892fef003eu);
    chacha_bytes(&c, out, 24);
    assert_hex(out, 24, "7f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e");

    for (unsigned i = 0; i < 32; i++)
        key[i] = (uint8_t)i;
    nonce[3] = 9;
    nonce[7] = 0x4a;
    chacha_init_ietf(&c, key, nonce); /* RFC 8439, 2.3.2, has counter 1 */
    chacha_bytes(&c, out, 64);
    chacha_bytes(&c, out, 64);
    assert_hex(out, 64,
               "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
               "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e");
    chacha_seek(&c, 64 + 59);
    chacha_bytes(&c, far, 10);
    assert_memory_equal(far, out + 59, 5);
    chacha_init_ietf(&c, key, nonce);
    chacha_bytes(&c, out, 64);
    chacha_bytes(&c, out, 64);
    chacha_bytes(&c, out, 5);
    assert_memory_equal(far + 5, out, 5);
}

int main(void)
{
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(7 * i + 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha256),
        cmocka_unit_test(test_blake2),
        cmocka_unit_test(test_chacha),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
