/* Names of files that must not outlive the process: they are removed when a signal ends it. */
#ifndef CUZK_BASE_TEMP_NAMES_H
#define CUZK_BASE_TEMP_NAMES_H

/* Remembers a copy of path. Returns what temp_name_forget takes; where there is no room or no memory the name is simply not remembered. */
int temp_name_remember(const char *path);
void temp_name_forget(int name);

/* Removes the files. For a signal handler, after which the process ends. */
void temp_names_unlink(void);

#endif
