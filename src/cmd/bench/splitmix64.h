/* splitmix64 of S. Vigna: numbers that look random and come again. */
#ifndef CUZK_CMD_BENCH_SPLITMIX64_H
#define CUZK_CMD_BENCH_SPLITMIX64_H

#include <stdint.h>

static inline uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

#endif
