import {
  type Condition,
  conditionOf,
  type Criteria,
  type Membership,
  type Rule
} from "@edp/domain/collections/criteria"
import { type DeviceSelection, type KeyedCondition, referenceKey } from "./deviceSelection.ts"

const columnOf: Readonly<Record<string, KeyedCondition["column"]>> = {
  referenceId: "reference_key",
  siteId: "site_id",
  model: "model",
  manufacturer: "manufacturer",
  type: "type"
}

/** Those that tell most come first. */
const order: ReadonlyArray<string> = ["manufacturer_device_id", "serial_number", ...Object.values(columnOf)]

/** As many as a list's own filters take: each value is looked for by itself. */
const MAX_LED = 100

const isRule = (condition: Condition): condition is Rule => "attribute" in condition

/** Conditions that all must hold. */
const conjuncts = (condition: Condition): ReadonlyArray<Condition> =>
  "all" in condition ? condition.all.flatMap(conjuncts) : [condition]

const valuesOf = ({ operator, value }: Rule) => {
  const values = [...new Set([value].flat() as ReadonlyArray<string>)]
  return (operator === "eq" || operator === "in") && values.length <= MAX_LED ? values : undefined
}

const keyedOf = (condition: Condition): KeyedCondition | undefined => {
  const column = isRule(condition) ? columnOf[condition.attribute] : undefined
  const values = isRule(condition) ? valuesOf(condition) : undefined
  if (column === undefined || values === undefined) return undefined
  return { column, values: column === "reference_key" ? values.map(referenceKey) : values }
}

const tagsOf = (condition: Condition): ReadonlyArray<string> | undefined => {
  if (!isRule(condition) || condition.attribute !== "tags") return undefined
  return condition.operator === "contains" ? [condition.value as string] : valuesOf(condition)
}

const together = (conditions: ReadonlyArray<Condition>): Condition | undefined =>
  conditions.length < 2 ? conditions[0] : { all: conditions }

const byTelling = (one: KeyedCondition, other: KeyedCondition) =>
  order.indexOf(one.column) - order.indexOf(other.column)

const meeting = (selection: DeviceSelection, criteria: Criteria): DeviceSelection => {
  const condition = conditionOf(criteria)
  const parts = condition === undefined ? [] : conjuncts(condition)
  const tagged = selection.tags === undefined ? parts.find((part) => tagsOf(part) !== undefined) : undefined
  return {
    ...selection,
    keyed: [...selection.keyed, ...parts.flatMap((part) => keyedOf(part) ?? [])].toSorted(byTelling),
    tags: selection.tags ?? (tagged && tagsOf(tagged)),
    criteria: together(parts.filter((part) => part !== tagged && keyedOf(part) === undefined))
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
