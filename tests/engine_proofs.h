/* What tests of the engine over real circuits share: an engine, fixtures as its requests, and what comes of them. */
#ifndef CUZK_TESTS_ENGINE_PROOFS_H
#define CUZK_TESTS_ENGINE_PROOFS_H

#include "proof_checks.h"

#include "cuzk/engine.h"

static inline struct cuzk_config proofs_config(const char *param_dir)
{
    struct cuzk_config config;
    cuzk_config_init(&config);
    config.param_dir = param_dir;
    config.memory_total = UINT64_C(2) << 30;
    return config;
}

static inline struct cuzk_engine *engine_with(const struct cuzk_config *config)
{
    struct cuzk_engine *e;
    struct cuzk_error err;
    if (cuzk_engine_open(&e, config, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    return e;
}

static inline struct cuzk_engine *engine_of(const char *param_dir)
{
    struct cuzk_config config = proofs_config(param_dir);
    return engine_with(&config);
}

struct asked {
    struct proof_case c;
    struct cuzk_bytes *proofs;
    struct cuzk_request request;
};

static inline void ask(struct asked *a, const char *fixture, const struct proof_kind *kind,
                       unsigned registered_proof)
{
    case_post(&a->c, fixture, kind, registered_proof);
    a->proofs = calloc(a->c.list.len, sizeof *a->proofs);
    for (size_t i = 0; i < a->c.list.len; i++)
        a->proofs[i] = (struct cuzk_bytes){a->c.list.proofs[i].data, a->c.list.proofs[i].len};
    a->request = (struct cuzk_request){
        .request_id = fixture,
        .kind = kind == &winning_kind ? CUZK_WINNING_POST : CUZK_WINDOW_POST,
        .registered_proof = registered_proof,
        .vanilla_proofs = a->proofs,
        .vanilla_proofs_n = a->c.list.len,
        .randomness = {a->c.request.randomness, 32},
    };
}

static inline void ask_free(struct asked *a)
{
    free(a->proofs);
    case_free(&a->c);
}

static inline void run(struct cuzk_result *out, struct cuzk_engine *e, const struct asked *a)
{
    struct cuzk_error err;
    char id[160];
    uint32_t position;
    if (cuzk_submit(e, id, &position, &a->request, &err) != CUZK_OK ||
        cuzk_await(e, out, id, 0, &err) != CUZK_OK)
        fail_msg("%s", err.message);
}

static inline void expect_proof(struct cuzk_engine *e, const struct asked *a)
{
    struct cuzk_result r;
    struct error err;
    run(&r, e, a);
    if (r.state != CUZK_COMPLETED)
        fail_msg("%s", r.message);
    assert_int_equal(r.proof_n, a->c.in.count * PROOF_BYTES);
    assert_ok(
        proof_verify(a->c.in.kind, &a->c.request, CUZK_TEST_PARAMS, NULL, r.proof, r.proof_n, &err),
        &err);
    cuzk_result_clean_up(&r);
}

static inline void expect_failure(struct cuzk_engine *e, struct asked *a, const char *text)
{
    struct cuzk_result r;
    run(&r, e, a);
    assert_int_equal(r.state, CUZK_FAILED);
    assert_null(r.proof);
    if (strstr(r.message, text) == NULL)
        fail_msg("\"%s\" says nothing of \"%s\"", r.message, text);
    cuzk_result_clean_up(&r);
}

#endif
