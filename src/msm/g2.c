/* The templates for G2. */
#include "base/buffer.h"
#include "msm/msm.h"
#include "msm/windows.h"
#include "vector/tvec.h"

#define GROUP g2
#define COORD_PREFIX fp2
#define COORD_ONE FP2_ONE

#include "msm/batch_add_template.h"
#include "msm/fixed_base_template.h"
#include "msm/msm_template.h"
