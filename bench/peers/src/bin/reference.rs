//! The reference on one C1 file: `reference c2 FILE.c1.json [ITERATIONS]` proves (one JSON line per run, with bellperson's own
//! stage times), `reference verify FILE.c1.json PROOF_HEX` verifies a proof made elsewhere against the parameter cache's vk.
//! `reference synth FILE.c1.json [PARTITION [ITERATIONS]]` runs synthesis alone, as bellperson's prover does it (one thread, linear
//! combinations evaluated into 32-byte rows, densities tracked; no parameters needed). Parameters: FIL_PROOFS_PARAMETER_CACHE.
use std::sync::Mutex;
use std::time::Instant;

use base64::Engine as _;
use bellpepper_core::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar as Fr;
use ff::Field;
use filecoin_hashers::Domain;
use filecoin_proofs::constants::*;
use filecoin_proofs::parameters::public_params;
use filecoin_proofs::MerkleTreeTrait;
use filecoin_proofs_api::seal::*;
use filecoin_proofs_api::*;

use serde_json::{json, Value};
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_porep::stacked::{self, StackedCircuit, StackedCompound, StackedDrg};

type PorepCompound<T> = StackedCompound<T, DefaultPieceHasher>;
type PorepScheme<T> = StackedDrg<'static, T, DefaultPieceHasher>;
type PorepCircuit<T> = StackedCircuit<T, DefaultPieceHasher>;

static STAGES: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

struct Stages;
impl log::Log for Stages {
    fn enabled(&self, _: &log::Metadata) -> bool { true }
    fn log(&self, r: &log::Record) {
        let m = r.args().to_string();
        if let Some((k, v)) = m.split_once(" time: ") { STAGES.lock().unwrap().push((k.to_string(), v.to_string())); }
    }
    fn flush(&self) {}
}

fn cpu_seconds() -> f64 {
    let mut u: libc::rusage = unsafe { std::mem::zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut u) };
    let s = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 * 1e-6;
    s(u.ru_utime) + s(u.ru_stime)
}

fn peak_rss() -> i64 {
    let mut u: libc::rusage = unsafe { std::mem::zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut u) };
    u.ru_maxrss * 1024
}

/// The lotus-bench prover id of miner 1000 unless the fixture beside the C1 names another.
fn load(path: &str) -> (SealCommitPhase1Output, u64, [u8; 32]) {
    let w: Value = serde_json::from_slice(&std::fs::read(path).expect("C1 file")).expect("wrapper JSON");
    let inner = base64::engine::general_purpose::STANDARD.decode(w["Phase1Out"].as_str().expect("Phase1Out")).expect("base64");
    let mut prover = [0u8; 32];
    prover[..2].copy_from_slice(&[0xe8, 0x07]);
    if let Ok(f) = std::fs::read(path.replace(".c1.json", ".json")) {
        if let Ok(v) = serde_json::from_slice::<Value>(&f) {
            if let Some(p) = v["prover_id"].as_str() { prover.copy_from_slice(&hex::decode(p).unwrap()); }
        }
    }
    (serde_json::from_slice(&inner).expect("SealCommitPhase1Output"), w["SectorNum"].as_u64().expect("SectorNum"), prover)
}

fn verify(c1: &SealCommitPhase1Output, prover: [u8; 32], sector: u64, proof: &[u8]) -> bool {
    verify_seal(c1.registered_proof, c1.comm_r, c1.comm_d, prover, SectorId::from(sector), c1.ticket, c1.seed, proof).unwrap_or(false)
}

/// What bellperson's ProvingAssignment keeps: assignments, row values, densities.
struct ProvingCS { inputs: Vec<Fr>, aux: Vec<Fr>, rows: [Vec<Fr>; 3], dense: [Vec<u64>; 3] }

fn mark(d: &mut Vec<u64>, i: usize) { if d.len() <= i / 64 { d.resize(i / 64 + 1, 0); } d[i / 64] |= 1 << (i % 64); }

impl ProvingCS {
    fn eval(&mut self, lc: &LinearCombination<Fr>, input_density: Option<usize>, aux_density: Option<usize>) -> Fr {
        let mut acc = Fr::ZERO;
        for (&i, c) in lc.iter_inputs() {
            if bool::from(c.is_zero()) { continue; }
            if let Some(d) = input_density { mark(&mut self.dense[d], i); }
            acc += if *c == Fr::ONE { self.inputs[i] } else { self.inputs[i] * c };
        }
        for (&i, c) in lc.iter_aux() {
            if bool::from(c.is_zero()) { continue; }
            if let Some(d) = aux_density { mark(&mut self.dense[d], i); }
            acc += if *c == Fr::ONE { self.aux[i] } else { self.aux[i] * c };
        }
        acc
    }
}

impl ConstraintSystem<Fr> for ProvingCS {
    type Root = Self;
    fn alloc<F, A, AR>(&mut self, _: A, f: F) -> Result<Variable, SynthesisError>
    where F: FnOnce() -> Result<Fr, SynthesisError>, A: FnOnce() -> AR, AR: Into<String> {
        self.aux.push(f()?);
        Ok(Variable::new_unchecked(Index::Aux(self.aux.len() - 1)))
    }
    fn alloc_input<F, A, AR>(&mut self, _: A, f: F) -> Result<Variable, SynthesisError>
    where F: FnOnce() -> Result<Fr, SynthesisError>, A: FnOnce() -> AR, AR: Into<String> {
        self.inputs.push(f()?);
        Ok(Variable::new_unchecked(Index::Input(self.inputs.len() - 1)))
    }
    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where A: FnOnce() -> AR, AR: Into<String>,
        LA: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>, LB: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>, LC: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr> {
        let (a, b, c) = (a(LinearCombination::zero()), b(LinearCombination::zero()), c(LinearCombination::zero()));
        let (a, b, c) = (self.eval(&a, None, Some(0)), self.eval(&b, Some(1), Some(2)), self.eval(&c, None, None));
        self.rows[0].push(a);
        self.rows[1].push(b);
        self.rows[2].push(c);
    }
    fn push_namespace<NR, N>(&mut self, _: N) where NR: Into<String>, N: FnOnce() -> NR {}
    fn pop_namespace(&mut self) {}
    fn get_root(&mut self) -> &mut Self::Root { self }
}

fn synth<T: 'static + MerkleTreeTrait<Hasher = DefaultTreeHasher>>(c1: &SealCommitPhase1Output, k: usize, iterations: usize) {
    let pp = public_params::<T>(&c1.registered_proof.as_v1_config()).unwrap();
    let tau = stacked::Tau { comm_d: <DefaultPieceDomain as Domain>::try_from_bytes(&c1.comm_d).unwrap(), comm_r: <<DefaultTreeHasher as filecoin_hashers::Hasher>::Domain as Domain>::try_from_bytes(&c1.comm_r).unwrap() };
    let pi = stacked::PublicInputs { replica_id: c1.replica_id, tau: Some(tau), k: None, seed: Some(c1.seed) };
    let proofs: Vec<Vec<filecoin_proofs::types::VanillaSealProof<T>>> = c1.vanilla_proofs.clone().try_into().unwrap();
    for i in 0..iterations {
        let circuit = <PorepCompound<T> as CompoundProof<PorepScheme<T>, PorepCircuit<T>>>::circuit(&pi, (), &proofs[k], &pp, Some(k)).unwrap();
        let (t, c) = (Instant::now(), cpu_seconds());
        let mut cs = ProvingCS { inputs: vec![Fr::ONE], aux: vec![], rows: [vec![], vec![], vec![]], dense: [vec![], vec![], vec![]] };
        circuit.synthesize(&mut cs).unwrap();
        for i in 0..cs.inputs.len() { cs.enforce(|| "", |lc| lc + Variable::new_unchecked(Index::Input(i)), |lc| lc, |lc| lc); }
        let cpu = cpu_seconds() - c;
        println!("{}", json!({"op": "porep_synth", "peer": "bellperson", "iteration": i, "partition": k, "seconds": t.elapsed().as_secs_f64(), "cpu": cpu, "rows": cs.rows[0].len(), "aux": cs.aux.len(),
            "a_aux_density": cs.dense[0].iter().map(|w| w.count_ones()).sum::<u32>(), "rows_per_core_second": cs.rows[0].len() as f64 / cpu, "peak_rss_bytes": peak_rss()}));
    }
}

fn main() {
    let a: Vec<String> = std::env::args().collect();
    log::set_logger(&Stages).unwrap();
    log::set_max_level(log::LevelFilter::Info);
    match a.get(1).map(String::as_str) {
        Some("c2") => {
            let (c1, sector, prover) = load(&a[2]);
            for i in 0..a.get(3).map_or(1, |n| n.parse().unwrap()) {
                STAGES.lock().unwrap().clear();
                let (t, c) = (Instant::now(), cpu_seconds());
                let proof = seal_commit_phase2(c1.clone(), prover, SectorId::from(sector)).expect("seal_commit_phase2").proof;
                let (secs, cpu) = (t.elapsed().as_secs_f64(), cpu_seconds() - c);
                println!("{}", json!({"op": "porep_c2", "peer": "filecoin-proofs", "iteration": i, "seconds": secs, "cpu": cpu, "peak_rss_bytes": peak_rss(),
                    "stages": STAGES.lock().unwrap().iter().map(|(k, v)| json!([k, v])).collect::<Vec<_>>(), "verified": verify(&c1, prover, sector, &proof), "proof": hex::encode(proof)}));
            }
        }
        Some("verify") => {
            let (c1, sector, prover) = load(&a[2]);
            let ok = verify(&c1, prover, sector, &hex::decode(&a[3]).expect("hex"));
            println!("{}", json!({ "verified": ok }));
            std::process::exit(if ok { 0 } else { 1 });
        }
        Some("synth") => {
            let c1 = load(&a[2]).0;
            let (k, n) = (a.get(3).map_or(0, |n| n.parse().unwrap()), a.get(4).map_or(1, |n| n.parse().unwrap()));
            match u64::from(c1.registered_proof.sector_size()) {
                SECTOR_SIZE_2_KIB => synth::<SectorShape2KiB>(&c1, k, n),
                SECTOR_SIZE_8_MIB => synth::<SectorShape8MiB>(&c1, k, n),
                SECTOR_SIZE_512_MIB => synth::<SectorShape512MiB>(&c1, k, n),
                SECTOR_SIZE_32_GIB => synth::<SectorShape32GiB>(&c1, k, n),
                SECTOR_SIZE_64_GIB => synth::<SectorShape64GiB>(&c1, k, n),
                other => panic!("sector size {other}"),
            }
        }
        _ => { eprintln!("usage: reference c2 FILE.c1.json [ITERATIONS] | verify FILE.c1.json PROOF_HEX | synth FILE.c1.json [PARTITION [ITERATIONS]]"); std::process::exit(2); }
    }
}
