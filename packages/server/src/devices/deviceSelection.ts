import { hash } from "node:crypto"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  type Condition,
  type Criteria,
  type Membership,
  type Rule,
  toCondition
} from "@edp/domain/collections/criteria"
import type { DeviceFilters } from "@edp/domain/devices/Device"
import { type OnlineStatus, onlineStatuses } from "@edp/domain/devices/DeviceType"
import type { Schema } from "effect"

export type DeviceQuery = Omit<Schema.Struct.Type<typeof DeviceFilters>, "page" | "perPage" | "cursor">

/** Filter columns with an index each, the most selective first. */
const keyedColumns = [
  ["manufacturerDeviceId", "manufacturer_device_id"],
  ["serialNumber", "serial_number"],
  ["referenceId", "reference_key"],
  ["siteId", "site_id"],
  ["model", "model"],
  ["manufacturer", "manufacturer"],
  ["type", "type"]
] as const

interface KeyedCondition {
  readonly column: (typeof keyedColumns)[number][1] | "id"
  /** Distinct values, any of which matches. */
  readonly values: ReadonlyArray<string>
}

/** Devices of a workspace that meet every condition. */
export interface DeviceSelection {
  readonly workspaceId: string
  readonly keyed: ReadonlyArray<KeyedCondition>
  /** Devices at a site of one of these customers, or connected by one. */
  readonly customerIds: ReadonlyArray<string> | undefined
  /** Members of this materialized collection. */
  readonly collectionId: string | undefined
  /** Members of any of several collections. */
  readonly memberships: ReadonlyArray<Membership> | undefined
  readonly criteria: Condition | undefined
  readonly tags: ReadonlyArray<string> | undefined
  readonly connected: boolean | undefined
  readonly statuses: ReadonlyArray<OnlineStatus> | undefined
  /** A prefix of the name, compared without case. */
  readonly q: string | undefined
}

/** The value of the column `reference_key`: a long reference is cut and followed by its hash. */
const referenceKey = (reference: string) => {
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

/** A SCOPED key sees its own user's devices, or those of them that it names; without a user, none. */
const scope = ({ scopeDeviceIds, scopeReferenceId, type }: CurrentKey["Service"]): ReadonlyArray<KeyedCondition> => {
  if (type !== "SCOPED") return []
  return [
    ...(scopeDeviceIds === null ? [] : [{ column: "id" as const, values: scopeDeviceIds }]),
    { column: "reference_key", values: scopeReferenceId === null ? [] : [referenceKey(scopeReferenceId)] }
  ]
}

/** Whether a device is within the scope of a SCOPED key; other keys cover their whole workspace. */
export const isInScope = (
  { scopeDeviceIds, scopeReferenceId, type }: CurrentKey["Service"],
  id: string,
  { referenceId }: { readonly referenceId: string }
): boolean =>
  type !== "SCOPED" || (referenceId === scopeReferenceId && (scopeDeviceIds === null || scopeDeviceIds.includes(id)))

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

/** The selection of a caller's query without its collections; undefined if nothing can match. */
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

const indexColumns: Readonly<Record<string, KeyedCondition["column"]>> = {
  referenceId: "reference_key",
  siteId: "site_id",
  model: "model",
  manufacturer: "manufacturer",
  type: "type"
}

/** The most selective first. */
const order: ReadonlyArray<string> = ["id", "manufacturer_device_id", "serial_number", ...Object.values(indexColumns)]

/** The same maximum as for the list's filters: each value is searched for by itself. */
const MAX_LED = 100

const isRule = (condition: Condition): condition is Rule => "attribute" in condition

/** Conditions that all must hold. */
const conjuncts = (condition: Condition): ReadonlyArray<Condition> =>
  "all" in condition ? condition.all.flatMap(conjuncts) : [condition]

const listedValues = ({ operator, value }: Rule) => {
  const values = [...new Set([value].flat() as ReadonlyArray<string>)]
  return (operator === "eq" || operator === "in") && values.length <= MAX_LED ? values : undefined
}

const toKeyedCondition = (condition: Condition): KeyedCondition | undefined => {
  const column = isRule(condition) ? indexColumns[condition.attribute] : undefined
  const values = isRule(condition) ? listedValues(condition) : undefined
  if (column === undefined || values === undefined) return undefined
  return { column, values: column === "reference_key" ? values.map(referenceKey) : values }
}

const listedTags = (condition: Condition): ReadonlyArray<string> | undefined => {
  if (!isRule(condition) || condition.attribute !== "tags") return undefined
  return condition.operator === "contains" ? [condition.value as string] : listedValues(condition)
}

const together = (conditions: ReadonlyArray<Condition>): Condition | undefined =>
  conditions.length < 2 ? conditions[0] : { all: conditions }

const byTelling = (one: KeyedCondition, other: KeyedCondition) =>
  order.indexOf(one.column) - order.indexOf(other.column)

const meeting = (selection: DeviceSelection, criteria: Criteria): DeviceSelection => {
  const condition = toCondition(criteria)
  const parts = condition === undefined ? [] : conjuncts(condition)
  const tagged = selection.tags === undefined ? parts.find((part) => listedTags(part) !== undefined) : undefined
  return {
    ...selection,
    keyed: [...selection.keyed, ...parts.flatMap((part) => toKeyedCondition(part) ?? [])].toSorted(byTelling),
    tags: selection.tags ?? (tagged && listedTags(tagged)),
    criteria: together(parts.filter((part) => part !== tagged && toKeyedCondition(part) === undefined))
  }
}

/**
 * Those of a selection that are members too. What criteria say in the words of a list's own filters becomes one of these,
 * because indexes lead to them; what is left is tested.
 */
export const amongMembers = (selection: DeviceSelection, membership: Membership): DeviceSelection =>
  "criteria" in membership
    ? meeting(selection, membership.criteria)
    : { ...selection, collectionId: membership.collectionId }
