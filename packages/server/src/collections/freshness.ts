import { type CollectionType, conditionOf, type Criteria, rulesOf } from "@edp/domain/collections/criteria"

/**
 * The tables whose rows decide who meets the criteria; undefined when time alone can change that, as a device goes
 * offline by its silence.
 */
export const decidingTables = (type: CollectionType, criteria: Criteria): ReadonlyArray<string> | undefined => {
  const condition = conditionOf(criteria)
  const names = condition === undefined ? [] : rulesOf(condition).map(({ attribute }) => attribute)
  if (names.includes("onlineStatus")) return undefined
  const reads = (prefix: string, table: string) => (names.some((name) => name.startsWith(prefix)) ? [table] : [])
  if (type === "DEVICE") return ["devices", ...reads("state.", "device_states"), ...reads("site.", "sites")]
  return type === "SITE"
    ? ["sites", ...reads("deviceCount", "devices")]
    : ["customers", ...reads("siteCount", "customer_sites")]
}
