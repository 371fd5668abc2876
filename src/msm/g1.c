/* The templates for G1. */
#include "base/buffer.h"
#include "msm/msm.h"
#include "msm/windows.h"
#include "vector/tvec.h"

#define GROUP g1
#define COORD_PREFIX fp
#define COORD_ONE FP_ONE

#include "msm/batch_add_template.h"
#include "msm/fixed_base_template.h"
#include "msm/msm_template.h"
