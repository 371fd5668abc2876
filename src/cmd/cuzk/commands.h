/* The subcommands of cuzk. Each gets its own argv (argv[0] is its name) and returns the exit code. */
#ifndef CUZK_CMD_CUZK_COMMANDS_H
#define CUZK_CMD_CUZK_COMMANDS_H

int cmd_prove(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_params(int argc, char **argv);
int cmd_circuit(int argc, char **argv);
int cmd_pce(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

/* What --help prints. */
extern const char prove_usage[], verify_usage[], params_usage[], circuit_usage[], pce_usage[],
    plan_usage[], doctor_usage[];

#endif
