/* The eight-lane addition of G2: in plain C everywhere, and as itself where the machine has AVX-512 IFMA. */
/* ctest: quick */
/* ctest: asan */
#include "json_data.h"

#include "cpu_paths.h"
#include "ifma_stand_in.h"

#define g2_batch_add_ifma g2_batch_add_stand_in
#include "msm/x86_64/g2_add_ifma.c"
#undef g2_batch_add_ifma

#define GENERATOR G2_GENERATOR
#include "ifma_kernel_tests.h"
