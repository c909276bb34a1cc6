// SPDX-License-Identifier: Apache-2.0
//
// The store's tables, a text a version: version n is made from n - 1 by text n - 1. In SQLite's words; an
// engine replaces those that it has others for (sql_engine.h).
#ifndef STORE_STORE_SCHEMA_H
#define STORE_STORE_SCHEMA_H

static const char *const store_migrations[] = {
    "CREATE TABLE runs(id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, created_utc TEXT NOT NULL,"
    " command TEXT, suite TEXT, commit_id TEXT, device_uuid TEXT, device TEXT, driver TEXT, host TEXT,"
    " verdict TEXT, content_hash TEXT NOT NULL, problem_count INTEGER NOT NULL,"
    " document_bytes INTEGER NOT NULL, document BLOB NOT NULL);"
    "CREATE INDEX runs_by_time ON runs(created_utc);"
    "CREATE TABLE results(run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, problem TEXT NOT NULL,"
    " side TEXT NOT NULL, kernel TEXT, median_ns REAL, low_ns REAL, high_ns REAL, verdict TEXT,"
    " change_pct REAL, PRIMARY KEY(run, problem, side)) WITHOUT ROWID;"
    "CREATE INDEX results_by_problem ON results(problem, side, run);",
    // The time of a run is in its results, too: the newest of a problem is then the end of an index. A
    // baseline refers to a run by name and late, because a run may be replaced by its later form.
    "ALTER TABLE runs ADD COLUMN branch TEXT; ALTER TABLE runs ADD COLUMN parent TEXT;"
    "ALTER TABLE runs ADD COLUMN seed INTEGER; ALTER TABLE runs ADD COLUMN manifest TEXT;"
    "ALTER TABLE results ADD COLUMN role TEXT; ALTER TABLE results ADD COLUMN rounds INTEGER;"
    "ALTER TABLE results ADD COLUMN created_utc TEXT NOT NULL DEFAULT '';"
    "UPDATE results SET created_utc = (SELECT created_utc FROM runs WHERE id = run);"
    "DROP INDEX results_by_problem;"
    "CREATE INDEX results_by_problem ON results(problem, side, created_utc, run);"
    "CREATE TABLE baselines(branch TEXT NOT NULL, device_uuid TEXT NOT NULL, suite TEXT NOT NULL,"
    " run_id TEXT NOT NULL REFERENCES runs(run_id) DEFERRABLE INITIALLY DEFERRED,"
    " PRIMARY KEY(branch, device_uuid, suite)) WITHOUT ROWID;"
    "CREATE INDEX baselines_by_run ON baselines(run_id);",
    ("CREATE TABLE upload_tokens(name TEXT NOT NULL PRIMARY KEY, hash TEXT NOT NULL,"
     " created_utc TEXT NOT NULL);"),
    // A profile refers to its run by name, too: either may come first, or be kept without the other.
    "CREATE TABLE profiles(id INTEGER PRIMARY KEY, created_utc TEXT NOT NULL, run_id TEXT,"
    " problem TEXT NOT NULL, side TEXT NOT NULL, kernel TEXT, profiler TEXT, bottleneck TEXT, because TEXT,"
    " suite TEXT, commit_id TEXT, branch TEXT, device_uuid TEXT, device TEXT, driver TEXT, host TEXT,"
    " document_bytes INTEGER NOT NULL, document BLOB NOT NULL);"
    "CREATE INDEX profiles_by_problem ON profiles(problem, side, created_utc);"
    "CREATE INDEX profiles_by_run ON profiles(run_id);",
    "CREATE TABLE tunings(id INTEGER PRIMARY KEY, created_utc TEXT NOT NULL, run_id TEXT NOT NULL,"
    " kernel TEXT NOT NULL, device TEXT, suite TEXT, strategy TEXT, config TEXT, speedup REAL,"
    " speedup_low REAL, speedup_high REAL, variant_count INTEGER, elite_count INTEGER, sentence TEXT,"
    " commit_id TEXT, branch TEXT, document_bytes INTEGER NOT NULL, document BLOB NOT NULL);"
    "CREATE INDEX tunings_by_run ON tunings(run_id);",
    // What a run measured. Of earlier runs only the documents know it: they count as times until they are
    // imported again.
    "ALTER TABLE runs ADD COLUMN metric TEXT NOT NULL DEFAULT 'time';",
    "CREATE TABLE answers(id INTEGER PRIMARY KEY, created_utc TEXT NOT NULL, run_id TEXT,"
    " candidate TEXT NOT NULL, operator TEXT, suite TEXT, device TEXT, device_uuid TEXT, verdict TEXT,"
    " finding TEXT, baseline TEXT, baseline_hash TEXT, code_hash TEXT, speedup REAL, speedup_low REAL,"
    " speedup_high REAL, round_count INTEGER, sentence TEXT, commit_id TEXT, branch TEXT,"
    " document_bytes INTEGER NOT NULL, document BLOB NOT NULL);"
    "CREATE INDEX answers_by_time ON answers(created_utc);",
};
enum { STORE_VERSION = sizeof store_migrations / sizeof *store_migrations };

#endif
