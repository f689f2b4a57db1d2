import { type FleetFilters, fleetSorts } from "@edp/domain/dashboard/Fleet"
import { deviceTypes, onlineStatuses } from "@edp/domain/devices/DeviceType"

export type FleetSort = (typeof fleetSorts)[number]

/** Filters that hold several values. */
export type ListFilter = "type" | "manufacturer" | "onlineStatus" | "status" | "tag" | "siteId"

/** The parameters of the fleet's address. A filter has its values separated by commas. */
export type FleetSearch = { readonly [Name in ListFilter | "q"]?: string | undefined } & {
  readonly sort?: FleetSort | undefined
  readonly view?: "map" | undefined
}

export const listFilters: ReadonlyArray<ListFilter> = [
  "type",
  "onlineStatus",
  "manufacturer",
  "status",
  "tag",
  "siteId"
]

const known: Partial<Record<ListFilter, ReadonlyArray<string>>> = {
  type: deviceTypes,
  onlineStatus: onlineStatuses,
  status: ["connected", "disconnected"]
}

/** The values of a filter in the address. Those that the service would refuse are left out. */
export const chosenValues = (parameters: FleetSearch, name: ListFilter): ReadonlyArray<string> =>
  [...new Set((parameters[name] ?? "").split(","))]
    .filter((value) => value !== "" && value.length <= 100 && (known[name]?.includes(value) ?? true))
    .slice(0, 20)

export const readFilters = (parameters: FleetSearch): FleetFilters => {
  const lists = listFilters.flatMap((name) => {
    const values = chosenValues(parameters, name)
    return values.length === 0 ? [] : [[name, values] as const]
  })
  const q = parameters.q?.slice(0, 255)
  return { ...Object.fromEntries(lists), ...(q && { q }) }
}

/** The address after a value of a filter was chosen, or was given up if it was chosen. */
export const toggled = (parameters: FleetSearch, name: ListFilter, value: string): FleetSearch => {
  const values = chosenValues(parameters, name)
  const next = values.includes(value) ? values.filter((one) => one !== value) : [...values, value]
  return { [name]: next.length === 0 ? undefined : next.join(",") }
}

export const withoutFilters: FleetSearch = {
  q: undefined,
  ...Object.fromEntries(listFilters.map((name) => [name, undefined]))
}

const saved = [...listFilters, "q", "sort"] as const

/** The part of the address that a saved filter keeps. */
export const toQuery = (parameters: FleetSearch): string =>
  new URLSearchParams(saved.flatMap((name) => (parameters[name] ? [[name, parameters[name]]] : []))).toString()

/** The address of a saved filter. */
export const fromQuery = (query: string): FleetSearch => {
  const given = new URLSearchParams(query)
  return {
    ...Object.fromEntries(saved.map((name) => [name, given.get(name) ?? undefined])),
    sort: fleetSorts.find((sort) => sort === given.get("sort"))
  }
}
