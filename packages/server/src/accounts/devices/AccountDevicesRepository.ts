import type { Intervention } from "@edp/domain/devices/Intervention"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type LinkedOwner, linkedDeviceTable } from "../../devices/linkedDeviceTable.ts"
import { query } from "../../platform/sql/transaction.ts"
import type { DeviceFieldChanges, ImportedFields } from "./importedFields.ts"

export interface ImportedDevice extends ImportedFields {
  readonly id: string
  readonly manufacturerDeviceId: string
}

/** Devices of accounts. */
export const AccountDevicesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const table = linkedDeviceTable(sql)
  const json = (value: object | null) => (value === null ? null : JSON.stringify(value))

  /** Whether a device's manufacturer itself reports it, or another account that is connected. */
  const isTaken = (accountId: string) => sql`d.workspace_id IS NOT NULL AND d.disconnected_at IS NULL
    AND d.account_id IS DISTINCT FROM ${accountId} AND (d.account_id IS NULL OR EXISTS (SELECT FROM accounts a
      WHERE a.id = d.account_id AND a.status = 'connected'))`

  return {
    /** Those of the ids that others report. */
    taken: (
      owner: Pick<LinkedOwner, "id" | "workspaceId" | "manufacturer">,
      manufacturerDeviceIds: ReadonlyArray<string>
    ) =>
      query(table.meeting(owner, manufacturerDeviceIds, isTaken(owner.id))).pipe(
        Effect.map((rows) => rows.map(({ id }) => id))
      ),
    /** The devices of the workspace with these ids of the manufacturer, locked until the transaction ends. */
    known: (owner: LinkedOwner, manufacturerDeviceIds: ReadonlyArray<string>) =>
      query(table.known(owner, manufacturerDeviceIds, isTaken(owner.id))),
    /** Stores new devices. Returns the ids of those that nobody else stored first. */
    insert: (owner: LinkedOwner, devices: ReadonlyArray<ImportedDevice>, now: Date) =>
      query(table.insert(owner, JSON.stringify(devices), now)),
    /** Links stored devices to an account. Their ids and histories stay; a new owner's site and customer hold from now on. */
    restore: (owner: LinkedOwner, ids: ReadonlyArray<string>, now: Date) => query(table.link(owner, ids, now)),
    /** Ids of the account's devices that are connected, or disconnected, locked until the transaction ends. */
    ofAccount: (accountId: string, isConnected: boolean) => query(table.hold(accountId, isConnected)),
    hold: (ids: ReadonlyArray<string>) => query(table.holdMany(ids)),
    disconnect: (ids: ReadonlyArray<string>, now: Date) => query(table.disconnect(ids, now)),
    /** Adds an obstacle to readings and all commands unless it is known. */
    addIntervention: (ids: ReadonlyArray<string>, intervention: Omit<Intervention, "blocks">, now: Date) =>
      query(table.addIntervention(ids, intervention, now)),
    removeIntervention: (ids: ReadonlyArray<string>, code: Intervention["code"]) =>
      query(table.removeIntervention(ids, code)),
    reconnect: (ids: ReadonlyArray<string>, now: Date) => query(table.reconnect(ids, now)),
    /** The devices that were disconnected with the account, not before, locked until the transaction ends. */
    leftAt: (accountId: string, at: Date) =>
      query(table.holdDisconnectedAt(accountId, at)).pipe(Effect.map((rows) => rows.map(({ id }) => id))),
    /** Notes that interventions of devices were seen again. */
    dateInterventions: (seen: ReadonlyArray<{ readonly id: string; readonly at: Date }>) =>
      query(table.dateInterventions(seen).unprepared),
    update: ({ id, interventions, interventionsAt, ...changes }: DeviceFieldChanges, now: Date) =>
      query(
        table.update(id, [
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
            : [
                sql`interventions = ${interventions === null ? null : JSON.stringify(interventions)}::jsonb`,
                sql`interventions_at = ${interventionsAt === undefined ? now : new Date(interventionsAt)}`
              ]),
          sql`updated_at = ${now}`
        ])
      )
  }
})
