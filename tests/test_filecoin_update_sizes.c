/* EmptySectorUpdate of all sector sizes, on structured trees. */
#include "update_trees.h"

static void check_size(unsigned number)
{
    struct update_request request = {0};
    struct update_vanilla v;
    struct error err;
    struct fr inputs[UPDATE_PUBLIC_INPUTS], want;
    assert_done(registered_update_of(&request.update, number, &err), &err);
    const struct registered_update *u = request.update;
    struct update_trees *t = update_trees_new(&request, 0);
    struct vanilla_list list = update_trees_proofs(t);
    update_trees_destroy(t);
    assert_int_equal(list.len, u->partitions);
    assert_done(update_vanilla_decode(&v, &request, &list, &err), &err);
    assert_done(update_vanilla_check(&v, NULL, NULL, &err), &err);
    update_public_inputs(inputs, &v, u->partitions - 1);
    fr_from_u64(&want, u->partitions - 1 + u->h_select * u->partitions);
    assert_memory_equal(&inputs[0], &want, sizeof want);

    /* The last challenge of the second partition counts. */
    unsigned k = u->partitions > 1, last = u->challenges - 1;
    char place[80];
    v.partitions[k].challenges[last].r_new.leaf.b[0] ^= 1;
    snprintf(place, sizeof place, "partition %u: challenge %u: proof_r_new: leaf and hashes", k,
             last);
    assert_error(update_vanilla_check(&v, NULL, NULL, &err), &err, ERR_DATA, "wrong-path", place);
    update_vanilla_clean_up(&v);
}

static void test_sizes(void **state)
{
    (void)state;
    for (unsigned number = 0; number < 5; number++)
        check_size(number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
