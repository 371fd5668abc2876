/* CUZK_TIMING=1: what took how long, as lines on stderr, one per phase and partition:
 *
 *   CUZK_TIMING: synthesis_ms=253.104 partition=3
 *
 * The benchmark, the prover and the daemon use these names: decode, check, load, synthesis, ntt, msm, verify; the benchmark also
 * record (a circuit's shape) and matvec (its matrices times the witness). What concerns no partition names none. */
#ifndef CUZK_BASE_TIMING_H
#define CUZK_BASE_TIMING_H

#include <stdint.h>

enum { TIMING_NO_PARTITION = -1 };

/* A line, written at once, if CUZK_TIMING is 1. */
void timing_phase(const char *phase, int partition, uint64_t wall_ns);

#endif
