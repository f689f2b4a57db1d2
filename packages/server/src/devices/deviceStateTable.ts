import type { SqlClient, Statement } from "effect/sql"

/** Statements of later slices that change current states. The slices put them into statements of their own, or run them as they are. */
export const deviceStateTable = (sql: SqlClient.SqlClient) => ({
  /**
   * Moves current states forward to new readings, for a common table expression. `newest` selects a row per device, in the order of the
   * devices; a state that is rolled up for less than `rollAfter` is complete. A current state from beyond `present` was stored while the clock
   * was wrong: a reading between `earliest` and `present` replaces it.
   */
  advance: (
    newest: Statement.Fragment,
    {
      earliest,
      present,
      rollAfter
    }: { readonly earliest: Date; readonly present: Date; readonly rollAfter: Statement.Fragment }
  ) => {
    const newer = sql`(excluded.at > known.at OR known.at > ${present}::timestamptz
      AND excluded.at BETWEEN ${earliest}::timestamptz AND ${present}::timestamptz)`
    return sql`INSERT INTO device_states AS known
        (device_id, reading_id, at, first_at, state, reported_status, latitude, longitude, unrolled)
      ${newest}
      ON CONFLICT (device_id) DO UPDATE SET
        first_at = least(known.first_at, excluded.first_at),
        counted_until = CASE WHEN excluded.first_at < known.counted_until THEN excluded.first_at ELSE known.counted_until END,
        stale = CASE WHEN excluded.first_at <= known.marked_until
          THEN with_stale(known.stale, excluded.first_at, least(excluded.at, known.marked_until)) ELSE known.stale END,
        late_readings = known.late_readings + (excluded.first_at < known.at)::int,
        unrolled = known.unrolled OR coalesce(excluded.first_at <= known.marked_until, false) OR
          greatest(known.at, excluded.at) >=
          coalesce(known.rolled_until, least(known.first_at, excluded.first_at)) + ${rollAfter},
        at = CASE WHEN ${newer} THEN excluded.at ELSE known.at END,
        reading_id = CASE WHEN ${newer} THEN excluded.reading_id ELSE known.reading_id END,
        state = CASE WHEN ${newer} THEN excluded.state ELSE known.state END,
        reported_status = CASE WHEN ${newer} THEN excluded.reported_status ELSE known.reported_status END,
        latitude = CASE WHEN ${newer} THEN excluded.latitude ELSE known.latitude END,
        longitude = CASE WHEN ${newer} THEN excluded.longitude ELSE known.longitude END
      RETURNING device_id, reading_id, at, state`
  },
  /** Sets what a device's source reports about it without a new reading. */
  setReportedStatus: (deviceIds: ReadonlyArray<string>, status: "asleep" | "unreachable" | null) =>
    sql`WITH held AS MATERIALIZED (SELECT device_id FROM device_states
        WHERE device_id = ANY(${deviceIds}::text[]) AND reported_status IS DISTINCT FROM ${status}
        ORDER BY device_id FOR NO KEY UPDATE)
      UPDATE device_states s SET reported_status = ${status} FROM held WHERE s.device_id = held.device_id`,
  /** Lets the next reading of devices make them due for a check; `quiet` has their ids. */
  unwatch: (quiet: Statement.Fragment) =>
    sql`UPDATE device_states SET watched = false FROM ${quiet}
      WHERE device_states.device_id = quiet.device_id AND device_states.watched`,
  setCountedUntil: (deviceId: string, until: Date) =>
    sql`UPDATE device_states SET counted_until = ${until} WHERE device_id = ${deviceId}`,
  /**
   * Records that older readings than `keptFrom` are dropped; `sealed` has the devices, each with the instant until which its rollups are
   * sealed, and `firstKept` finds the oldest reading of a device `s` that is left.
   */
  seal: (sealed: Statement.Fragment, firstKept: Statement.Fragment, keptFrom: string) =>
    sql`UPDATE device_states s SET frozen_until = nullif(sealed.until, '')::timestamptz,
        first_dropped_at = least(s.first_dropped_at, s.first_at),
        first_at = CASE WHEN s.rolled_until IS NULL THEN s.first_at ELSE coalesce(${firstKept}, s.first_at) END,
        counted_until = CASE WHEN s.counted_until < ${keptFrom} THEN ${keptFrom} ELSE s.counted_until END
      FROM ${sealed} WHERE s.device_id = sealed.device_id`,
  remove: (deviceId: string) => sql`DELETE FROM device_states WHERE device_id = ${deviceId}`,
  /** Ends the claims for rollups of a process that is gone. */
  endRollupLeases: (holder: string) =>
    sql`UPDATE device_states SET roll_claim = NULL, roll_claimed_at = NULL
      WHERE unrolled AND starts_with(roll_claim, ${`${holder} `})`,
  /** Renews such a claim for the devices `held`, or ends it. Returns their ids. */
  renewRollups: (held: Statement.Fragment) =>
    sql`UPDATE device_states s SET roll_claimed_at = now() FROM ${held} WHERE s.device_id = held.device_id
      RETURNING s.device_id AS id`,
  releaseRollups: (held: Statement.Fragment) =>
    sql`UPDATE device_states s SET roll_claim = NULL, roll_claimed_at = NULL FROM ${held}
      WHERE s.device_id = held.device_id RETURNING s.device_id AS id`,
  /** Claims the rollups of the devices `due`, whose states and types it returns. */
  claimRollups: (due: Statement.Fragment, claim: string, returning: Statement.Fragment) =>
    sql`UPDATE device_states s SET marked_until = greatest(s.at, s.marked_until), rolling = s.rolling + s.stale,
        stale = '{}', roll_claim = ${claim}, roll_claimed_at = now()
      FROM ${due}, devices d WHERE s.device_id = due.device_id AND d.id = s.device_id
      RETURNING ${returning}`,
  /**
   * Records the progress of rollups and releases them, for a common table expression: `held` has the claimed devices and `done` the results. A
   * result for other sealed rollups than the present ones is discarded.
   */
  finishRollups: (rollAfter: string, alteredWithin: string) =>
    sql`UPDATE device_states s SET
        rolled_until = coalesce(done.rolled_until, s.rolled_until),
        marked_until = coalesce(done.rolled_until, s.rolled_until),
        rolling = s.rolling - tstzmultirange(tstzrange(NULL, done.done_until, '[]')),
        rolled_fields = s.rolled_fields | done.fields,
        settled_until = coalesce(done.settled_until, s.settled_until),
        rollup_revision = s.rollup_revision + done.revisions,
        altered_from = CASE WHEN done.altered_from IS NULL THEN s.altered_from
          WHEN s.altered_at > now() - ${alteredWithin}::interval THEN least(s.altered_from, done.altered_from)
          ELSE done.altered_from END,
        altered_at = CASE WHEN done.altered_from IS NULL THEN s.altered_at ELSE now() END,
        roll_claim = NULL, roll_claimed_at = NULL,
        unrolled = NOT isempty(s.stale) OR NOT isempty(s.rolling - tstzmultirange(tstzrange(NULL, done.done_until, '[]')))
          OR s.at >= coalesce(done.rolled_until, s.rolled_until, s.first_at) + ${rollAfter}::interval
      FROM held, done WHERE s.device_id = held.device_id AND done.device_id = held.device_id
        AND done.frozen_until IS NOT DISTINCT FROM held.frozen_until
      RETURNING s.device_id`
})
