import type { SqlClient, Statement } from "effect/sql"
import { issuedAt } from "../Ids.ts"

/** Statements on events that other concerns put into their own statements. */
export const eventTable = (sql: SqlClient.SqlClient) => ({
  /**
   * Publishes events of readings, for a common table expression; they refer to their readings and have no payload. `readings` has the columns
   * id, workspace_id, device_id, site_id, arrived_at and at. The lock of `numbering` comes before the first sequence.
   */
  publishReadings: (numbering: Statement.Fragment, readings: Statement.Fragment) =>
    sql`INSERT INTO events (id, sequence, workspace_id, type, subject, device_id, site_id, created_at, reading_at)
      SELECT id, nextval('event_sequence'), workspace_id, 'DEVICE_UPDATED', device_id, device_id, site_id, arrived_at, at
      FROM ${numbering} CROSS JOIN ${readings}`,
  /** Copies states into the events that refer to readings, before these are deleted; `readings` are those of the device. */
  keepStates: (deviceId: string, readings: Statement.Fragment, condition: Statement.Fragment) =>
    sql`UPDATE events SET state = oldest.state
      FROM (${readings}) AS oldest
      WHERE events.device_id = ${deviceId} AND events.reading_at = oldest.at AND events.id = oldest.id
        AND ${condition}`,
  /** The same for readings of any devices; events have the times at which their readings arrived. */
  keepStatesOfReadings: (
    readings: ReadonlyArray<{ readonly id: string; readonly state: string }>
  ) => sql`UPDATE events SET state = kept.state::jsonb
      FROM unnest(${readings.map(({ id }) => id)}::text[], ${readings.map(({ id }) => new Date(issuedAt(id)).toISOString())}::timestamptz[],
        ${readings.map(({ state }) => state)}::text[]) AS kept (id, arrived_at, state)
      WHERE events.created_at = kept.arrived_at AND events.id = kept.id AND events.reading_at IS NOT NULL AND events.state IS NULL`
})
