import type { Intervention } from "@edp/domain/devices/Intervention"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../platform/sql/transaction.ts"
import type { DeviceFieldChanges, ImportedFields } from "./importedFields.ts"

export interface ImportedDevice extends ImportedFields {
  readonly id: string
  readonly manufacturerDeviceId: string
}

/** The account and what its devices take from it. */
export interface DeviceOwner {
  readonly id: string
  readonly workspaceId: string
  readonly manufacturer: string
  readonly customerId: string | null
  readonly siteId: string | null
  readonly referenceId: string
  readonly tags: ReadonlyArray<string>
}

/** A stored device of the manufacturer in the workspace. */
export interface KnownDevice extends ImportedFields {
  readonly id: string
  readonly manufacturerDeviceId: string
  readonly accountId: string | null
  readonly isConnected: boolean
  /** Whether its manufacturer itself reports it, or another account that is connected. */
  readonly isTaken: boolean
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const json = (value: object | null) => (value === null ? null : JSON.stringify(value))

  return {
    /** The devices of the workspace with these ids of the manufacturer, locked until the transaction ends. */
    known: (owner: DeviceOwner, manufacturerDeviceIds: ReadonlyArray<string>) =>
      query(sql<KnownDevice>`SELECT d.id, d.manufacturer_device_id AS "manufacturerDeviceId", d.account_id AS "accountId",
          d.name, d.type, d.model, d.serial_number AS "serialNumber", d.raw_type AS "rawType", d.raw_model AS "rawModel",
          d.model_year AS "modelYear", d.static_state AS "staticState", d.commands,
          d.workspace_id IS NOT NULL AND d.disconnected_at IS NULL AS "isConnected",
          d.workspace_id IS NOT NULL AND d.disconnected_at IS NULL AND d.account_id IS DISTINCT FROM ${owner.id}
            AND (d.account_id IS NULL OR EXISTS (SELECT FROM accounts a WHERE a.id = d.account_id
              AND a.status = 'connected')) AS "isTaken"
        FROM devices d WHERE d.origin_workspace_id = ${owner.workspaceId} AND d.manufacturer = ${owner.manufacturer}
          AND d.manufacturer_device_id = ANY(${manufacturerDeviceIds}::text[])
        ORDER BY d.id FOR NO KEY UPDATE OF d`),
    /** Stores new devices. Returns the ids of those that nobody else stored first. */
    insert: (owner: DeviceOwner, devices: ReadonlyArray<ImportedDevice>, now: Date) =>
      query(sql<{ readonly id: string }>`INSERT INTO devices (id, workspace_id, origin_workspace_id, account_id,
          customer_id, site_id, name, manufacturer, manufacturer_device_id, serial_number, reference_id, model, type,
          raw_type, raw_model, model_year, static_state, commands, tags, direct, connected_at, created_at, updated_at)
        SELECT id, ${owner.workspaceId}, ${owner.workspaceId}, ${owner.id}, ${owner.customerId}, ${owner.siteId}, name,
          ${owner.manufacturer}, "manufacturerDeviceId", "serialNumber", ${owner.referenceId}, model, type, "rawType",
          "rawModel", "modelYear", "staticState", ARRAY(SELECT jsonb_array_elements_text(commands)),
          ${owner.tags}::text[], false, ${now}, ${now}, ${now}
        FROM jsonb_to_recordset(${JSON.stringify(devices)}::jsonb) AS given (id text, name text,
          "manufacturerDeviceId" text, "serialNumber" text, model text, type text, "rawType" text, "rawModel" text,
          "modelYear" integer, "staticState" jsonb, commands jsonb)
        ORDER BY "manufacturerDeviceId"
        ON CONFLICT ON CONSTRAINT devices_manufacturer_key DO NOTHING RETURNING id`),
    /** Links stored devices to an account. Their ids and histories stay; a new owner's site and customer hold from now on. */
    bringBack: (owner: DeviceOwner, ids: ReadonlyArray<string>, now: Date) =>
      query(sql`UPDATE devices SET workspace_id = origin_workspace_id, account_id = ${owner.id},
          customer_id = coalesce(${owner.customerId}, customer_id), site_id = coalesce(${owner.siteId}, site_id),
          reference_id = ${owner.referenceId},
          tags = (tags || ARRAY(SELECT tag FROM unnest(${owner.tags}::text[]) AS given (tag) WHERE tag <> ALL(tags)))[1:100],
          direct = false, interventions = NULL, connected_at = ${now}, disconnected_at = NULL, updated_at = ${now}
        WHERE id = ANY(${ids}::text[])`),
    /** Ids of the account's devices that are connected, or disconnected, locked until the transaction ends. */
    ofAccount: (accountId: string, isConnected: boolean) =>
      query(sql<{ readonly id: string; readonly manufacturerDeviceId: string }>`SELECT id,
          manufacturer_device_id AS "manufacturerDeviceId" FROM devices
        WHERE account_id = ${accountId} AND workspace_id IS NOT NULL AND (disconnected_at IS NULL) = ${isConnected}
        ORDER BY id FOR NO KEY UPDATE`),
    hold: (ids: ReadonlyArray<string>) =>
      query(sql<{ readonly id: string }>`SELECT id FROM devices WHERE id = ANY(${ids}::text[])
        AND workspace_id IS NOT NULL ORDER BY id FOR NO KEY UPDATE`),
    disconnect: (ids: ReadonlyArray<string>, now: Date) =>
      query(sql`UPDATE devices SET disconnected_at = ${now}, updated_at = ${now} WHERE id = ANY(${ids}::text[])`),
    /** Adds an obstacle to readings and all commands unless it is known. */
    addIntervention: (ids: ReadonlyArray<string>, intervention: Omit<Intervention, "blocks">) =>
      query(sql`UPDATE devices SET interventions = coalesce(interventions, '[]') ||
          jsonb_build_array(${JSON.stringify(intervention)}::jsonb
            || jsonb_build_object('blocks', to_jsonb(ARRAY['telemetry'] || commands)))
        WHERE id = ANY(${ids}::text[])
          AND NOT coalesce(interventions, '[]') @> ${JSON.stringify([{ code: intervention.code }])}::jsonb`),
    removeIntervention: (ids: ReadonlyArray<string>, code: Intervention["code"]) =>
      query(sql`UPDATE devices SET interventions = (
          SELECT jsonb_agg(one) FROM jsonb_array_elements(interventions) AS all_of (one) WHERE one->>'code' <> ${code})
        WHERE id = ANY(${ids}::text[]) AND interventions IS NOT NULL`),
    reconnect: (ids: ReadonlyArray<string>, now: Date) =>
      query(sql`UPDATE devices SET connected_at = ${now}, disconnected_at = NULL, updated_at = ${now}
        WHERE id = ANY(${ids}::text[])`),
    /** The devices that were disconnected with the account, not before, locked until the transaction ends. */
    leftAt: (accountId: string, at: Date) =>
      query(sql<{ readonly id: string }>`SELECT id FROM devices WHERE account_id = ${accountId}
        AND workspace_id IS NOT NULL AND disconnected_at = ${at} ORDER BY id FOR NO KEY UPDATE`).pipe(
        Effect.map((rows) => rows.map(({ id }) => id))
      ),
    update: ({ id, interventions, ...changes }: DeviceFieldChanges, now: Date) =>
      query(
        sql`UPDATE devices SET ${sql.csv([
          ...(changes.name === undefined ? [] : [sql`name = ${changes.name}`]),
          ...(changes.type === undefined ? [] : [sql`type = ${changes.type}`]),
          ...(changes.model === undefined ? [] : [sql`model = ${changes.model}`]),
          ...(changes.serialNumber === undefined ? [] : [sql`serial_number = ${changes.serialNumber}`]),
          ...(changes.rawType === undefined ? [] : [sql`raw_type = ${changes.rawType}`]),
          ...(changes.rawModel === undefined ? [] : [sql`raw_model = ${changes.rawModel}`]),
          ...(changes.modelYear === undefined ? [] : [sql`model_year = ${changes.modelYear}`]),
          ...(changes.staticState === undefined ? [] : [sql`static_state = ${json(changes.staticState)}::jsonb`]),
          ...(changes.commands === undefined ? [] : [sql`commands = ${changes.commands}::text[]`]),
          ...(interventions === undefined
            ? []
            : [sql`interventions = ${interventions === null ? null : JSON.stringify(interventions)}::jsonb`]),
          sql`updated_at = ${now}`
        ])} WHERE id = ${id}`
      )
  }
})

/** Devices of accounts. */
export class AccountDevicesRepository extends Context.Service<AccountDevicesRepository, Effect.Success<typeof make>>()(
  "@edp/server/accounts/AccountDevicesRepository"
) {
  static readonly layer = Layer.effect(AccountDevicesRepository, make)
}
