/* The templates for G1. */
#include "base/buffer.h"
#include "base/cpu.h"
#include "msm/msm.h"
#include "msm/windows.h"
#include "vector/tvec.h"

#define GROUP g1
#define COORD_PREFIX fp
#define COORD_ONE FP_ONE
#ifdef __x86_64__
#include "msm/x86_64/batch_add_ifma.h"
#define IFMA_SCRATCH struct g1_ifma_scratch
#define IFMA_ADD g1_batch_add_ifma
#endif

#include "msm/batch_add_template.h"
#include "msm/fixed_base_template.h"
#include "msm/msm_template.h"
