/* This process's memory, from /proc/self/status. */
#ifndef CUZK_BASE_MEMINFO_H
#define CUZK_BASE_MEMINFO_H

#include <stdint.h>

#include "base/error.h"

uint64_t meminfo_rss_bytes(void); /* VmRSS: resident now, mapped files included; 0 if unknown */
uint64_t meminfo_peak_rss_bytes(
    void); /* VmHWM: the most ever resident, mapped files included; 0 if unknown */
void meminfo_reset_peak_rss(
    void); /* VmHWM counts from here on; where the system refuses, from the start as before */
uint64_t meminfo_anon_bytes(void); /* RssAnon: resident now, without mapped files; 0 if unknown */

/* A thread that looks at RssAnon every few milliseconds and keeps the highest. */
struct meminfo_sampler;
int meminfo_sampler_new(struct meminfo_sampler **out,
                        struct error *err); /* ERR_OS: no memory or thread */
uint64_t meminfo_sampler_peak_bytes(struct meminfo_sampler *sampler); /* since it was made */
void meminfo_sampler_destroy(struct meminfo_sampler *sampler);        /* NULL is harmless */

#endif
