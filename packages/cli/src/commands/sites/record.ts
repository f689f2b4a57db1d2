import type { Address } from "@edp/domain/shared/Address"
import type { Site, Weather } from "@edp/domain/sites/Site"
import type { Column } from "../../table.ts"

export const siteColumns: ReadonlyArray<Column<Site>> = [
  { title: "ID", value: (site) => site.id, whole: true, wide: true },
  { title: "NAME", value: (site) => site.name },
  { title: "REFERENCE", value: (site) => site.referenceId },
  { title: "STREET", value: (site) => site.address.streetOne },
  { title: "CITY", value: (site) => site.address.city },
  { title: "STATE", value: (site) => site.address.state, wide: true },
  { title: "DEVICES", value: (site) => site.deviceCount, right: true, whole: true },
  { title: "TIMEZONE", value: (site) => site.timezone, wide: true },
  { title: "TAGS", value: (site) => site.tags, wide: true },
  { title: "CREATED", value: (site) => site.createdAt, time: true, wide: true }
]

const addressText = ({ city, country, postalCode, state, streetOne, streetTwo }: Address) =>
  [streetOne, streetTwo, city, `${state} ${postalCode}`, country].filter((part) => part !== undefined).join(", ")

const weatherFields = (weather: Weather | null | undefined) => {
  if (weather === undefined) return []
  if (weather === null) return [["weather", "unknown"] as const]
  const { cloudCover, condition, observedAt, temperature, windSpeed } = weather
  return [
    ["weather", condition] as const,
    ["temperature", `${temperature} °F`] as const,
    ["cloud cover", `${cloudCover} %`] as const,
    ["wind", `${windSpeed} mph`] as const,
    ["observed", observedAt] as const
  ]
}

export const siteFields = (site: Site) => [
  ["id", site.id] as const,
  ["name", site.name] as const,
  ["reference", site.referenceId] as const,
  ["address", addressText(site.address)] as const,
  ["location", site.location && `${site.location.latitude}, ${site.location.longitude}`] as const,
  ["timezone", site.timezone] as const,
  ["tags", site.tags] as const,
  ["customers", site.customerIds] as const,
  ["devices", site.deviceCount] as const,
  ["created", site.createdAt] as const,
  ["updated", site.updatedAt] as const,
  ...weatherFields(site.weather)
]
