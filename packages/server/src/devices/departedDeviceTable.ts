import type { SqlClient, Statement } from "effect/sql"
import { decodeRows } from "../platform/sql/rows.ts"
import { Schema } from "effect"

const DeviceIdRow = Schema.Struct({ deviceId: Schema.String })

/** Statements of later slices on devices that have left their workspace, and on histories that are still to be deleted. */
export const departedDeviceTable = (sql: SqlClient.SqlClient) => ({
  /** Deletes records of devices that departed before a time; returns a row for each. */
  forget: (before: Date, limit: number) =>
    sql`DELETE FROM departed_devices WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM departed_devices WHERE departed_at < ${before} LIMIT ${limit})) RETURNING 1`,
  /** The condition that an event's device has departed since the event. */
  hasDepartedSince: (event: { readonly workspaceId: string; readonly deviceId: string; readonly sequence: string }) =>
    sql`EXISTS (SELECT FROM departed_devices WHERE workspace_id = ${sql(event.workspaceId)}
      AND device_id = ${sql(event.deviceId)} AND until_sequence >= ${sql(event.sequence)})`,
  /** The record of a device that had not departed at a sequence of events yet; no row for a present one. */
  departedAfter: (workspaceId: string, deviceId: string, sequence: string) =>
    sql`SELECT data FROM departed_devices
      WHERE workspace_id = ${workspaceId} AND device_id = ${sql(deviceId)} AND until_sequence >= ${sql(sequence)}
      ORDER BY until_sequence LIMIT 1`,
  /** Removed devices whose history is still to be deleted and that are ready for it, the longest waiting first. */
  forgotten: (isReady: Statement.Fragment) =>
    decodeRows(DeviceIdRow)(sql`SELECT device_id AS "deviceId" FROM forgotten_histories
      WHERE ${isReady} ORDER BY created_at LIMIT 1000`),
  /** A row if the history of one of the devices is still to be deleted. */
  anyForgotten: (deviceIds: ReadonlyArray<string>) =>
    sql`SELECT 1 FROM forgotten_histories WHERE device_id = ANY(${deviceIds}::text[]) LIMIT 1`,
  /** Lets the history of devices that are not there be deleted. */
  forgetHistories: (deviceIds: ReadonlyArray<string>) =>
    sql`INSERT INTO forgotten_histories (device_id) SELECT unnest(${deviceIds}::text[]) ON CONFLICT DO NOTHING`,
  /** The workspace with which a device was deleted, whose history is still to be deleted. */
  workspaceOfForgotten: (deviceId: string) =>
    sql`SELECT workspace_id FROM forgotten_histories WHERE device_id = ${deviceId}`,
  /** Histories of a deleted workspace that are still to be deleted. */
  forgottenOfWorkspace: (workspaceId: string) =>
    sql`SELECT FROM forgotten_histories WHERE workspace_id = ${workspaceId}`,
  /** Its history was deleted. */
  settleHistory: (deviceId: string) => sql`DELETE FROM forgotten_histories WHERE device_id = ${deviceId}`
})
