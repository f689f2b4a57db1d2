import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  /*
   * The energy of a local day of a program instance, summed over a block of its enrolled batteries. `signature` is a hash of everything
   * that the row was computed from; a row with another hash than the present one counts as missing. Amounts are in µWh, covered times in
   * milliseconds.
   */
  `CREATE TABLE program_days (
    program_instance_id text COLLATE "C" NOT NULL REFERENCES program_instances ON DELETE CASCADE,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    block smallint NOT NULL,
    signature bigint NOT NULL,
    discharged bigint NOT NULL,
    discharged_covered bigint NOT NULL,
    charged bigint NOT NULL,
    charged_covered bigint NOT NULL,
    PRIMARY KEY (program_instance_id, starts_at, ends_at, block)
  )`,
  // The next time at which the days of an instance are brought up to date.
  `CREATE TABLE program_day_work (
    program_instance_id text COLLATE "C" PRIMARY KEY REFERENCES program_instances ON DELETE CASCADE,
    due_at timestamptz NOT NULL
  )`,
  `CREATE INDEX program_day_work_due ON program_day_work (due_at)`
]

/** Keeps the days of program reports. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
