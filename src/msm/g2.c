/* The templates for G2. */
#include "base/buffer.h"
#include "base/cpu.h"
#include "msm/msm.h"
#include "msm/windows.h"
#include "vector/tvec.h"

#define GROUP g2
#define COORD_PREFIX fp2
#define COORD_ONE FP2_ONE
#ifdef __x86_64__
#include "msm/x86_64/batch_add_ifma.h"
#define IFMA_SCRATCH struct g2_ifma_scratch
#define IFMA_ADD g2_batch_add_ifma
#endif

#include "msm/batch_add_template.h"
#include "msm/fixed_base_template.h"
#include "msm/msm_template.h"
