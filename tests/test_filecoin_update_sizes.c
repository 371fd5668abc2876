/* EmptySectorUpdate of all sector sizes, on structured trees. */
#include "path_checks.h"

#include "base/pool.h"
#include "filecoin/synthetic_update.h"

/* Siblings differ, and leaves of one type in different blocks of rho differ in the new tree only. */
static void check_paths(const struct update_vanilla *v)
{
    unsigned new_differs = 0, old_same = 0;
    const struct registered_update *u = v->update;
    for (unsigned k = 0; k < u->partitions; k++)
        for (unsigned i = 0; i < u->challenges; i++) {
            const struct update_challenge *c = &v->partitions[k].challenges[i];
            const struct update_challenge *first = &v->partitions[0].challenges[0];
            if (i == k % u->challenges) {
                assert_siblings_differ(&c->r_old);
                assert_siblings_differ(&c->d_new);
                assert_siblings_differ(&c->r_new);
            }
            old_same += node_equal(&c->r_old.leaf, &first->r_old.leaf);
            new_differs += node_equal(&c->r_old.leaf, &first->r_old.leaf) &&
                           !node_equal(&c->r_new.leaf, &first->r_new.leaf);
        }
    assert_in_range(old_same, 1, u->partitions * u->challenges - 1);
    if (u->partitions > 1)
        assert_true(new_differs > 0);
}

static void check_size(unsigned number, struct pool *pool)
{
    struct update_request request = {0};
    struct update_vanilla v;
    struct vanilla_list list;
    struct error err;
    struct fr inputs[UPDATE_PUBLIC_INPUTS], want;
    assert_done(registered_update_of(&request.update, number, &err), &err);
    const struct registered_update *u = request.update;
    assert_done(update_synthetic(&list, &request, number, NULL, pool, &err), &err);
    assert_int_equal(list.len, u->partitions);
    assert_done(update_vanilla_decode(&v, &request, &list, &err), &err);
    assert_done(update_vanilla_check(&v, pool, NULL, &err), &err);
    check_paths(&v);
    update_public_inputs(inputs, &v, u->partitions - 1);
    fr_from_u64(&want, u->partitions - 1 + u->h_select * u->partitions);
    assert_memory_equal(&inputs[0], &want, sizeof want);

    /* The last challenge of the second partition counts. */
    if (number > 2) {
        update_vanilla_clean_up(&v);
        return;
    }
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
    struct pool *pool;
    struct error err;
    assert_done(pool_new(&pool, 2, &err), &err);
    for (unsigned number = 0; number < 5; number++)
        check_size(number, pool);
    pool_destroy(pool);
}

static void test_seeds(void **state)
{
    (void)state;
    struct update_request request[3];
    struct vanilla_list list[3];
    struct error err;
    for (unsigned i = 0; i < 3; i++) {
        assert_done(registered_update_of(&request[i].update, 1, &err), &err);
        assert_done(update_synthetic(&list[i], &request[i], i / 2, NULL, NULL, &err), &err);
    }
    assert_same_list(&list[0], &list[1]);
    assert_other_list(&list[0], &list[2]);
    for (unsigned i = 0; i < 3; i++)
        vanilla_list_clean_up(&list[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_seeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
