import { hash } from "node:crypto"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { Condition, Membership } from "@edp/domain/collections/criteria"
import type { DeviceFilters } from "@edp/domain/devices/Device"
import { type OnlineStatus, onlineStatuses } from "@edp/domain/devices/DeviceType"
import type { Schema } from "effect"

export type DeviceQuery = Omit<Schema.Struct.Type<typeof DeviceFilters>, "page" | "perPage" | "cursor">

/** Columns by which devices are found, each with an index of its own. Those that tell most come first. */
const keyedColumns = [
  ["manufacturerDeviceId", "manufacturer_device_id"],
  ["serialNumber", "serial_number"],
  ["referenceId", "reference_key"],
  ["siteId", "site_id"],
  ["model", "model"],
  ["manufacturer", "manufacturer"],
  ["type", "type"]
] as const

export interface KeyedCondition {
  readonly column: (typeof keyedColumns)[number][1]
  /** Any of them matches; each is there once. */
  readonly values: ReadonlyArray<string>
}

/** Devices of a workspace that meet every condition. */
export interface DeviceSelection {
  readonly workspaceId: string
  readonly keyed: ReadonlyArray<KeyedCondition>
  /** At a site of one of these customers or connected by one. */
  readonly customerIds: ReadonlyArray<string> | undefined
  /** In the kept set of this collection. */
  readonly collectionId: string | undefined
  /** In one of several collections. */
  readonly memberships: ReadonlyArray<Membership> | undefined
  readonly criteria: Condition | undefined
  readonly tags: ReadonlyArray<string> | undefined
  readonly connected: boolean | undefined
  readonly statuses: ReadonlyArray<OnlineStatus> | undefined
  /** Beginning of the name, in any case. */
  readonly q: string | undefined
}

/** What the column `reference_key` makes of a reference: long ones are told apart by their hash. */
export const referenceKey = (reference: string) => {
  const characters = [...reference]
  return characters.length <= 200 ? reference : characters.slice(0, 200).join("") + hash("md5", reference)
}

const distinct = <A>(values: ReadonlyArray<A>) => [...new Set(values)]

const keyed = (query: DeviceQuery): ReadonlyArray<KeyedCondition> =>
  keyedColumns.flatMap(([field, column]) => {
    const given = query[field]
    if (given === undefined) return []
    const values = distinct([given].flat())
    return [{ column, values: column === "reference_key" ? values.map(referenceKey) : values }]
  })

/** A SCOPED key sees its own user's devices; without a user, none. */
const scope = (caller: CurrentKey["Service"]): ReadonlyArray<KeyedCondition> =>
  caller.type === "SCOPED"
    ? [
        {
          column: "reference_key",
          values: caller.scopeReferenceId === null ? [] : [referenceKey(caller.scopeReferenceId)]
        }
      ]
    : []

export const wholeWorkspace = (workspaceId: string): DeviceSelection => ({
  workspaceId,
  keyed: [],
  customerIds: undefined,
  collectionId: undefined,
  memberships: undefined,
  criteria: undefined,
  tags: undefined,
  connected: undefined,
  statuses: undefined,
  q: undefined
})

/** What a caller's query selects, of its collection apart; undefined when nothing can match. */
export const deviceSelection = (caller: CurrentKey["Service"], query: DeviceQuery): DeviceSelection | undefined => {
  const conditions = [...scope(caller), ...keyed(query)]
  const statuses = query.onlineStatus && distinct(query.onlineStatus)
  if (conditions.some(({ values }) => values.length === 0)) return undefined
  return {
    ...wholeWorkspace(caller.workspaceId),
    keyed: conditions,
    customerIds: query.customerId && distinct(query.customerId),
    tags: query.tag && distinct(query.tag),
    connected: query.connected === undefined ? undefined : query.connected === "true",
    statuses: statuses?.length === onlineStatuses.length ? undefined : statuses,
    q: query.q
  }
}

/** All devices of a customer. */
export const customerSelection = (workspaceId: string, customerId: string): DeviceSelection => ({
  ...wholeWorkspace(workspaceId),
  customerIds: [customerId]
})
