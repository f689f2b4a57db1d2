import type { Intervention } from "@edp/domain/devices/Intervention"
import type { SqlClient, Statement } from "effect/sql"
import { Schema } from "effect"
import { decodeRows, IdRow } from "../platform/sql/rows.ts"
import { AccountDevice, KnownDevice } from "./linkedDeviceRow.ts"

/** The account of a device, and what the device takes from it. */
export interface LinkedOwner {
  readonly id: string
  readonly workspaceId: string
  readonly manufacturer: string
  readonly customerId: string | null
  readonly siteId: string | null
  readonly referenceId: string
  readonly tags: ReadonlyArray<string>
}

const DeviceReferenceRow = Schema.Struct({ id: Schema.String, manufacturerDeviceId: Schema.String })

/** Statements on devices that accounts at manufacturers report. */
export const linkedDeviceTable = (sql: SqlClient.SqlClient) => ({
  /** Devices of accounts, with their newest state, in the order of their ids. */
  ofAccounts: (accountIds: ReadonlyArray<string>) =>
    decodeRows(AccountDevice)(sql`SELECT d.id, d.account_id AS "accountId", d.name, d.type, d.commands, d.interventions,
        d.interventions_at AS "interventionsAt",
        d.manufacturer_device_id AS "manufacturerDeviceId", d.static_state AS "staticState",
        d.disconnected_at IS NULL AS "isConnected", s.at AS "lastAt", s.reported_status AS "reportedStatus"
      FROM devices d LEFT JOIN device_states s ON s.device_id = d.id
      WHERE d.account_id = ANY(${accountIds}::text[]) AND d.workspace_id IS NOT NULL ORDER BY d.id`),
  /** Those of the manufacturer's ids whose devices `d` meet a condition. */
  meeting: (
    { manufacturer, workspaceId }: Pick<LinkedOwner, "workspaceId" | "manufacturer">,
    manufacturerDeviceIds: ReadonlyArray<string>,
    condition: Statement.Fragment
  ) =>
    decodeRows(IdRow)(sql`SELECT d.manufacturer_device_id AS id FROM devices d
      WHERE d.origin_workspace_id = ${workspaceId} AND d.manufacturer = ${manufacturer}
        AND d.manufacturer_device_id = ANY(${manufacturerDeviceIds}::text[]) AND ${condition}`),
  /** The devices of the workspace with these ids of the manufacturer, and whether `d` meets a condition; locked until the transaction ends. */
  known: (
    { manufacturer, workspaceId }: LinkedOwner,
    manufacturerDeviceIds: ReadonlyArray<string>,
    isTaken: Statement.Fragment
  ) =>
    decodeRows(
      KnownDevice
    )(sql`SELECT d.id, d.manufacturer_device_id AS "manufacturerDeviceId", d.account_id AS "accountId",
        d.name, d.type, d.model, d.serial_number AS "serialNumber", d.raw_type AS "rawType", d.raw_model AS "rawModel",
        d.model_year AS "modelYear", d.static_state AS "staticState", d.commands,
        d.workspace_id IS NOT NULL AND d.disconnected_at IS NULL AS "isConnected",
        ${isTaken} AS "isTaken"
      FROM devices d WHERE d.origin_workspace_id = ${workspaceId} AND d.manufacturer = ${manufacturer}
        AND d.manufacturer_device_id = ANY(${manufacturerDeviceIds}::text[])
      ORDER BY d.id FOR NO KEY UPDATE OF d`),
  /** The account's devices that are connected, or disconnected, locked until the transaction ends. */
  hold: (accountId: string, isConnected: boolean) =>
    decodeRows(DeviceReferenceRow)(sql`SELECT id,
        manufacturer_device_id AS "manufacturerDeviceId" FROM devices
      WHERE account_id = ${accountId} AND workspace_id IS NOT NULL AND (disconnected_at IS NULL) = ${isConnected}
      ORDER BY id FOR NO KEY UPDATE`),
  /** Those of the devices that belong to a workspace, locked until the transaction ends. */
  holdMany: (ids: ReadonlyArray<string>) =>
    decodeRows(IdRow)(sql`SELECT id FROM devices WHERE id = ANY(${ids}::text[])
      AND workspace_id IS NOT NULL ORDER BY id FOR NO KEY UPDATE`),
  /** The account's devices that were disconnected at an instant, locked until the transaction ends. */
  holdDisconnectedAt: (accountId: string, at: Date) =>
    decodeRows(IdRow)(sql`SELECT id FROM devices WHERE account_id = ${accountId}
      AND workspace_id IS NOT NULL AND disconnected_at = ${at} ORDER BY id FOR NO KEY UPDATE`),
  /** Stores new devices, given as JSON. Returns the ids of those that nobody else stored first. */
  insert: (owner: LinkedOwner, devices: string, now: Date) =>
    decodeRows(IdRow)(sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, account_id,
        customer_id, site_id, name, manufacturer, manufacturer_device_id, serial_number, reference_id, model, type,
        raw_type, raw_model, model_year, static_state, commands, tags, direct, connected_at, created_at, updated_at)
      SELECT id, ${owner.workspaceId}, ${owner.workspaceId}, ${owner.id}, ${owner.customerId}, ${owner.siteId}, name,
        ${owner.manufacturer}, "manufacturerDeviceId", "serialNumber", ${owner.referenceId}, model, type, "rawType",
        "rawModel", "modelYear", "staticState", ARRAY(SELECT jsonb_array_elements_text(commands)),
        ${owner.tags}::text[], false, ${now}, ${now}, ${now}
      FROM jsonb_to_recordset(${devices}::jsonb) AS given (id text, name text,
        "manufacturerDeviceId" text, "serialNumber" text, model text, type text, "rawType" text, "rawModel" text,
        "modelYear" integer, "staticState" jsonb, commands jsonb)
      ORDER BY "manufacturerDeviceId"
      ON CONFLICT ON CONSTRAINT devices_manufacturer_key DO NOTHING RETURNING id`),
  /** Links stored devices to an account. Their ids and histories stay; a new owner's site and customer hold from now on. */
  link: (owner: LinkedOwner, ids: ReadonlyArray<string>, now: Date) =>
    sql`UPDATE devices SET workspace_id = origin_workspace_id, account_id = ${owner.id},
        customer_id = coalesce(${owner.customerId}, customer_id), site_id = coalesce(${owner.siteId}, site_id),
        reference_id = ${owner.referenceId},
        tags = (tags || ARRAY(SELECT tag FROM unnest(${owner.tags}::text[]) AS given (tag) WHERE tag <> ALL(tags)))[1:100],
        direct = false, interventions = NULL, connected_at = ${now}, disconnected_at = NULL, updated_at = ${now}
      WHERE id = ANY(${ids}::text[])`,
  disconnect: (ids: ReadonlyArray<string>, now: Date) =>
    sql`UPDATE devices SET disconnected_at = ${now}, updated_at = ${now} WHERE id = ANY(${ids}::text[])`,
  reconnect: (ids: ReadonlyArray<string>, now: Date) =>
    sql`UPDATE devices SET connected_at = ${now}, disconnected_at = NULL, updated_at = ${now}
      WHERE id = ANY(${ids}::text[])`,
  /** Adds an obstacle to readings and all commands unless it is known. */
  addIntervention: (ids: ReadonlyArray<string>, intervention: Omit<Intervention, "blocks">, now: Date) =>
    sql`UPDATE devices SET interventions_at = ${now}, interventions = coalesce(interventions, '[]') ||
        jsonb_build_array(${JSON.stringify(intervention)}::jsonb
          || jsonb_build_object('blocks', to_jsonb(ARRAY['telemetry'] || commands)))
      WHERE id = ANY(${ids}::text[])
        AND NOT coalesce(interventions, '[]') @> ${JSON.stringify([{ code: intervention.code }])}::jsonb`,
  removeIntervention: (ids: ReadonlyArray<string>, code: Intervention["code"]) =>
    sql`UPDATE devices SET interventions = (
        SELECT jsonb_agg(one) FROM jsonb_array_elements(interventions) AS all_of (one) WHERE one->>'code' <> ${code})
      WHERE id = ANY(${ids}::text[]) AND interventions IS NOT NULL`,
  /** Records that interventions of devices were seen again. */
  dateInterventions: (seen: ReadonlyArray<{ readonly id: string; readonly at: Date }>) =>
    sql`UPDATE devices d SET interventions_at = given.at
      FROM jsonb_to_recordset(${JSON.stringify(seen)}::jsonb) AS given (id text, at timestamptz)
      WHERE d.id = given.id AND d.interventions IS NOT NULL`,
  /** Changes columns of a device. */
  update: (id: string, changes: ReadonlyArray<Statement.Fragment>) =>
    sql`UPDATE devices SET ${sql.csv(changes)} WHERE id = ${id}`
})
