import { Schema } from "effect"
import { DeviceType, OnlineStatus } from "../devices/DeviceType.ts"
import { Cuid, Slug } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { Several, integer } from "../shared/Page.ts"
import { oneOf } from "../shared/quantities.ts"
import { StoredText, Tag, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

const optional = Schema.optionalKey
const orNull = Schema.NullOr
const count = (description: string) => Schema.Int.check(documents({ minimum: 0 })).annotate({ description })

/** Whether the source of a device still delivers it. */
export const FleetStatus = oneOf(["connected", "disconnected"], "disconnected: its account or its owner took it away")
export type FleetStatus = typeof FleetStatus.Type

export const fleetSorts = ["newest", "name", "last-reported", "longest-silent"] as const

/** The greatest offset of a window of rows. */
export const FLEET_OFFSET_LIMIT = 1_000_000
/** The most rows of one window. */
export const FLEET_WINDOW_LIMIT = 200
/** The most rows of one file. */
export const FLEET_CSV_LIMIT = 100_000
/** The most cells of one map. */
export const FLEET_CELLS_LIMIT = 4096

/** Devices that meet every given filter; of a filter with several values, any of them. */
export const FleetFilters = {
  type: optional(Several(DeviceType).annotate({ description: "Types of devices" })),
  manufacturer: optional(Several(Text(1, 63)).annotate({ description: "Slugs of manufacturers" })),
  onlineStatus: optional(Several(OnlineStatus).annotate({ description: "Connection status" })),
  status: optional(Several(FleetStatus).annotate({ description: "Whether the source still delivers the device" })),
  tag: optional(Several(Tag).annotate({ description: "Tags of the device" })),
  siteId: optional(Several(Text(1, 100)).annotate({ description: "Devices of these sites" })),
  q: optional(
    Text(1, 255).annotate({ description: "Prefix of the name, the id or the serial number, case-insensitive" })
  )
}
const Filters = Schema.Struct(FleetFilters)
export type FleetFilters = typeof Filters.Type

export const FleetCsvQuery = {
  ...FleetFilters,
  id: optional(Several(Text(1, 100)).annotate({ description: "Only these devices" }))
}

export const FleetWindow = {
  ...FleetFilters,
  offset: integer(0, FLEET_OFFSET_LIMIT, 0, "Number of rows before the first"),
  limit: integer(1, FLEET_WINDOW_LIMIT, 100, "Number of rows"),
  sort: optional(
    oneOf(
      fleetSorts,
      "newest first (default), by name, by the time of the last report, or silent for longest first; devices that never reported come last"
    )
  )
}

const statusCounts = Schema.Struct({
  online: count("Devices that are online"),
  asleep: count("Devices that are asleep"),
  offline: count("Devices that are offline"),
  unknown: count("Devices that never reported")
})

const severityCounts = Schema.Struct({
  CRITICAL: count("Open alerts"),
  WARNING: count("Open alerts"),
  INFO: count("Open alerts")
})

export const Fleet = Schema.Struct({
  devices: count("Matching devices"),
  types: Schema.Array(Schema.Struct({ type: DeviceType, devices: count("Devices of the type") })),
  onlineStatus: statusCounts,
  manufacturers: Schema.Array(
    Schema.Struct({
      slug: Slug,
      name: StoredText(255).annotate({ description: "Display name" }),
      devices: count("Devices of the manufacturer")
    })
  ),
  disconnected: count("Devices that their source no longer delivers"),
  neverReported: count("Devices without any reading"),
  openAlerts: severityCounts.annotate({
    description:
      "Open and acknowledged alerts that the lists of alerts show; with filters, those of matching devices only"
  }),
  sites: count("Sites of the workspace, whatever the filters"),
  customers: count("Customers of the workspace, whatever the filters"),
  accountsNeedingAction: count("Accounts that only a new sign-in connects again, whatever the filters"),
  asOf: Timestamp.annotate({ description: "Time of the counts; counts that took long are reused for some seconds" })
}).annotate({ identifier: "Fleet", description: "Numbers of a workspace's devices" })
export type Fleet = typeof Fleet.Type

/** The fields of a state that a row can show. */
export const figureFields = [
  "chargePercentage",
  "chargeRate",
  "chargerWattage",
  "power",
  "ambientTemperature",
  "waterTemperature"
] as const

const FleetFigure = Schema.Struct({
  at: Timestamp.annotate({ description: "Time of the reading" }),
  values: Schema.Array(
    Schema.Struct({
      field: Schema.Literals(figureFields).annotate({ description: "Field of the device's state" }),
      value: Schema.Finite,
      unit: Schema.Literals(["percent", "W", "degF"]).annotate({ description: "Unit; signs are those of the state" })
    })
  ).annotate({ description: "The main value of the type, and its power if it has one" })
}).annotate({ identifier: "FleetFigure", description: "What a device last reported in short" })
export type FleetFigure = typeof FleetFigure.Type

type FigureValue = FleetFigure["values"][number]

/** The fields of a state that a row shows, by the type of the device: the main value, and the power beside it. */
const shownFields: Readonly<Partial<Record<DeviceType, ReadonlyArray<Pick<FigureValue, "field" | "unit">>>>> = {
  battery: [
    { field: "chargePercentage", unit: "percent" },
    { field: "chargeRate", unit: "W" }
  ],
  charger: [{ field: "chargerWattage", unit: "W" }],
  inverter: [{ field: "power", unit: "W" }],
  meter: [{ field: "power", unit: "W" }],
  thermostat: [{ field: "ambientTemperature", unit: "degF" }],
  vehicle: [
    { field: "chargePercentage", unit: "percent" },
    { field: "chargerWattage", unit: "W" }
  ],
  water_heater: [
    { field: "waterTemperature", unit: "degF" },
    { field: "power", unit: "W" }
  ]
}

/** A state of a device in short; null if its type has no main value, or the state lacks it. */
export const makeFigure = (
  type: DeviceType,
  state: Readonly<Record<string, unknown>>,
  at: string
): FleetFigure | null => {
  const values = (shownFields[type] ?? []).flatMap(({ field, unit }): ReadonlyArray<FigureValue> => {
    const value = state[field]
    return typeof value === "number" ? [{ field, value, unit }] : []
  })
  return values.length === 0 ? null : { at, values }
}

export const FleetDevice = Schema.Struct({
  id: Cuid,
  name: StoredText(255),
  type: DeviceType,
  manufacturer: Schema.Struct({ slug: Slug, name: StoredText(255) }),
  model: StoredText(255),
  serialNumber: orNull(StoredText(255)),
  onlineStatus: OnlineStatus,
  status: FleetStatus,
  siteId: orNull(Cuid),
  siteName: orNull(StoredText(600)).annotate({ description: "Name of the site, else its street and city" }),
  customerId: orNull(Cuid).annotate({
    description: "The customer who connected the device, else the first of its site"
  }),
  customerName: orNull(StoredText(600)),
  tags: Schema.Array(StoredText(100)),
  lastReportedAt: orNull(Timestamp).annotate({ description: "Time of the newest reading; null if there is none" }),
  figure: orNull(FleetFigure).annotate({ description: "null without a reading, and for types without a main value" }),
  openAlerts: count("Open and acknowledged alerts of the device that the lists of alerts show")
}).annotate({ identifier: "FleetDevice", description: "A device in short" })
export type FleetDevice = typeof FleetDevice.Type

export const FleetDevices = Schema.Struct({
  data: Schema.Array(FleetDevice),
  totalItems: count(
    `Number of matching devices, counted up to ${FLEET_OFFSET_LIMIT + FLEET_WINDOW_LIMIT}; reused for some seconds if it took long`
  ),
  offset: count("Number of rows before the first"),
  limit: count("Number of rows that were asked for"),
  asOf: Timestamp.annotate({ description: "Time at which reachability was judged" })
}).annotate({ identifier: "FleetDevices", description: "A window of a list of devices" })
export type FleetDevices = typeof FleetDevices.Type

const bboxMessage = "Must be west,south,east,north in degrees, such as -125,24,-66,50"

const isBox = (text: string) => {
  const parts = text.split(",")
  const [west, south, east, north] = parts.map(Number) as [number, number, number, number]
  return (
    parts.length === 4 &&
    parts.every((part) => /^-?\d{1,3}(\.\d{1,12})?$/.test(part)) &&
    [west, east].every((longitude) => Math.abs(longitude) <= 180) &&
    [south, north].every((latitude) => Math.abs(latitude) <= 90) &&
    south < north &&
    west !== east
  )
}

export const FleetMapQuery = {
  ...FleetFilters,
  bbox: optional(
    Text(1, 100)
      .check(Schema.makeFilter(isBox, { message: bboxMessage }))
      .annotate({
        description:
          "Part of the earth: west,south,east,north in degrees; a west beyond the east crosses the 180th meridian. All of it by default"
      })
  ),
  zoom: integer(0, 20, 3, "Zoom: cells are 22.5 degrees wide at 0 and half as wide at each following number")
}

const FleetCell = Schema.Struct({
  lat: Schema.Finite.annotate({ description: "Latitude of the middle of its sites" }),
  lon: Schema.Finite.annotate({ description: "Longitude of the middle of its sites" }),
  sites: count("Sites"),
  devices: count("Matching devices at them"),
  online: count("Matching devices that are online or asleep"),
  alerts: count("Open alerts of the matching devices"),
  site: optional(
    Schema.Struct({ id: Cuid, name: StoredText(600) }).annotate({ description: "The site, if it is a single one" })
  )
}).annotate({ identifier: "FleetCell", description: "Sites that are near each other" })
export type FleetCell = typeof FleetCell.Type

export const FleetMap = Schema.Struct({
  cells: Schema.Array(FleetCell).check(documents({ maxItems: FLEET_CELLS_LIMIT })),
  withoutCoordinates: Schema.Struct({
    sites: count("Sites without coordinates"),
    devices: count("Matching devices at them")
  }),
  withoutSite: count("Matching devices without a site"),
  asOf: Timestamp
}).annotate({
  identifier: "FleetMap",
  description: "The sites of a workspace in a grid. With filters, only sites with a matching device"
})
export type FleetMap = typeof FleetMap.Type
