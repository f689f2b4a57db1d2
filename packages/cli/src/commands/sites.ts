import { verb, confirmDeletion } from "../kernel/verb.ts"
import type { Address } from "@edp/domain/shared/Address"
import type { Site, Weather } from "@edp/domain/sites/Site"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { importCommand } from "../import/importCommand.ts"
import { usage } from "../kernel/CliFailure.ts"
import { request } from "../kernel/Connection.ts"
import { Output, showRecord } from "../kernel/Output.ts"
import { parseAddress } from "../kernel/address.ts"
import { customerId, findDevice, siteArgument, siteId } from "../kernel/find.ts"
import { clearFlag, several, text, withCleared, yes } from "../kernel/flags.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"
import { customerFields } from "./customers.ts"
import { deviceColumns, deviceFields } from "./devices.ts"
import { sitesImport } from "../import/importKinds.ts"

const siteColumns: ReadonlyArray<Column<Site>> = [
  { title: "ID", value: (site) => site.id, whole: true },
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

const limitText = (watts: number | null | undefined) => (typeof watts === "number" ? `${watts} W` : null)

const siteFields = (site: Site) => [
  ["id", site.id] as const,
  ["name", site.name] as const,
  ["reference", site.referenceId] as const,
  ["address", addressText(site.address)] as const,
  ["location", site.location && `${site.location.latitude}, ${site.location.longitude}`] as const,
  ["timezone", site.timezone] as const,
  ["tags", site.tags] as const,
  ["max import", limitText(site.maxImportW)] as const,
  ["max export", limitText(site.maxExportW)] as const,
  ["customers", site.customerIds] as const,
  ["devices", site.deviceCount] as const,
  ["created", site.createdAt] as const,
  ["updated", site.updatedAt] as const,
  ...weatherFields(site.weather)
]

const watts = (name: string, description: string) =>
  Flag.Finite(name).pipe(Flag.withDescription(description), Flag.optional)

const plainFlags = {
  name: text("name", "Display name"),
  referenceId: text("reference-id", "Reference in your system"),
  timezone: text("timezone", "Time zone such as America/Los_Angeles; default: the workspace's"),
  tags: several("tag", "Tag").pipe(Flag.withMetavar("tag")),
  maxImportW: watts("max-import", "Power that schedules and dispatches may ask of charging devices together, W"),
  maxExportW: watts("max-export", "Power with which they may let batteries discharge with the grid, W")
}

const addressFlags = {
  address: text("address", 'The whole address: "street, city, ST zip"'),
  streetOne: text("street", "First street line"),
  streetTwo: text("street-two", "Second street line"),
  city: text("city", "City or town"),
  state: text("state", "State, province or region; in the USA its code or name"),
  postalCode: text("postal-code", "Postal code"),
  country: text("country", "Country; default: USA")
}

const locationFlags = {
  latitude: Flag.Finite("latitude").pipe(Flag.withDescription("Degrees north, with --longitude"), Flag.optional),
  longitude: Flag.Finite("longitude").pipe(Flag.withDescription("Degrees east"), Flag.optional)
}

type Flags<Of> = { readonly [Name in keyof Of]: Option.Option<string> }

const ADDRESS_NEEDS = "An address is --address, or --street, --city, --state and --postal-code together"

/** The address of `--address` or of the single flags. */
const addressFrom = Effect.fnUntraced(function* ({ address: whole, ...lines }: Flags<typeof addressFlags>) {
  const { city, postalCode, state, streetOne, ...rest } = given(lines)
  const parts = [streetOne, city, state, postalCode]
  if (Option.isSome(whole)) {
    if (parts.some((part) => part !== undefined)) return yield* usage(ADDRESS_NEEDS)
    const parsed = parseAddress(whole.value)
    if (Option.isNone(parsed)) {
      return yield* usage('--address takes "street, city, ST zip", such as "1 Capitol Mall, Sacramento, CA 95814"')
    }
    return Option.some({ ...parsed.value, ...rest })
  }
  if (streetOne !== undefined && city !== undefined && state !== undefined && postalCode !== undefined) {
    return Option.some({ streetOne, city, state, postalCode, ...rest })
  }
  if (Object.keys(given(lines)).length > 0) return yield* usage(ADDRESS_NEEDS)
  return Option.none()
})

const locationFrom = Effect.fnUntraced(function* (flags: {
  readonly latitude: Option.Option<number>
  readonly longitude: Option.Option<number>
}) {
  const { latitude, longitude } = given(flags)
  if (latitude !== undefined && longitude !== undefined) return { location: { latitude, longitude } }
  if (latitude === undefined && longitude === undefined) return {}
  return yield* usage("--latitude and --longitude must be given together")
})

const filters = {
  referenceId: several("reference-id", "Reference in your system"),
  customerId: several("customer", "Customer id"),
  state: several("state", "State; in the USA code or name"),
  postalCode: several("postal-code", "Postal code"),
  tag: several("tag", "Tag"),
  q: text("q", "Beginning of the name or the street, any case")
}

const list = verb(
  "sites list",
  "List sites, newest first",
  { ...pagingFlags, ...filters },
  (flags) => showList(flags, "sites", siteColumns, (query) => request("sites", "list", { query })),
  ["edp sites list --state CA --tag pilot"]
)

const show = verb(
  "sites show",
  "Show a site",
  {
    site: siteArgument,
    weather: Flag.Boolean("weather").pipe(Flag.withDescription("Include the current weather"), Flag.withDefault(false))
  },
  Effect.fnUntraced(function* ({ site, weather }) {
    const query = weather ? ({ include: "weather" } as const) : {}
    yield* showRecord(request("sites", "get", { params: { id: yield* siteId(site) }, query }), siteFields)
  })
)

const create = verb(
  "sites create",
  "Create a site",
  {
    ...plainFlags,
    ...addressFlags,
    ...locationFlags,
    customer: text("customer", "Customer to link it to, by id or referenceId")
  },
  Effect.fnUntraced(function* (flags) {
    const { customer, latitude, longitude, maxExportW, maxImportW, name, referenceId, tags, timezone, ...lines } = flags
    const address = yield* addressFrom(lines)
    if (Option.isNone(address)) return yield* usage("A site needs an --address")
    const payload = {
      ...given({ name, referenceId, tags, timezone, maxImportW, maxExportW }),
      address: address.value,
      ...(yield* locationFrom({ latitude, longitude })),
      ...(Option.isSome(customer) && { customerId: yield* customerId(customer.value) })
    }
    yield* showRecord(request("sites", "create", { payload }), siteFields)
  }),
  ['edp sites create --name Home --address "1 Capitol Mall, Sacramento, CA 95814"']
)

const clearable = {
  name: { name: null },
  "reference-id": { referenceId: null },
  timezone: { timezone: null },
  location: { location: null },
  tags: { tags: [] },
  "max-import": { maxImportW: null },
  "max-export": { maxExportW: null }
} as const

const update = verb(
  "sites update",
  "Change a site; an address and --tag replace the previous values",
  { site: siteArgument, ...plainFlags, ...addressFlags, ...locationFlags, clear: clearFlag(clearable) },
  Effect.fnUntraced(function* (flags) {
    const { clear, latitude, longitude, maxExportW, maxImportW, name, referenceId, site, tags, timezone, ...lines } =
      flags
    const address = yield* addressFrom(lines)
    const changes = {
      ...given({ name, referenceId, tags, timezone, maxImportW, maxExportW }),
      ...(Option.isSome(address) && { address: address.value }),
      ...(yield* locationFrom({ latitude, longitude }))
    }
    const payload = yield* withCleared(changes, clearable, clear)
    yield* showRecord(request("sites", "update", { params: { id: yield* siteId(site) }, payload }), siteFields)
  }),
  ["edp sites update home-1 --name Home --tag pilot --clear timezone"]
)

const remove = verb(
  "sites delete",
  "Delete a site; its devices and customers stay",
  { site: siteArgument, yes },
  Effect.fnUntraced(function* ({ site, yes }) {
    const id = yield* siteId(site)
    const { address, deviceCount, name } = yield* request("sites", "get", {
      params: { id },
      query: {}
    })
    const label = name ?? `${address.streetOne}, ${address.city}`
    yield* confirmDeletion({
      id,
      yes,
      question: `Delete the site "${label}"? Its devices (${deviceCount}) stay, without a site.`,
      call: request("sites", "remove", { params: { id } }),
      done: `The site "${label}" is deleted.`
    })
  })
)

const devices = verb(
  "sites devices",
  "List the devices at a site, newest first",
  { ...pagingFlags, site: siteArgument },
  Effect.fnUntraced(function* ({ site, ...flags }) {
    const id = yield* siteId(site)
    yield* showList(flags, "devices", deviceColumns, (query) => request("devices", "ofSite", { params: { id }, query }))
  })
)

const partners = {
  customer: text("customer", "Customer, by id or referenceId"),
  device: text("device", "Device, by its id or the manufacturer's id of it")
}

type Partner = { readonly customerId: string } | { readonly deviceId: string }

/** Requires exactly one of the two. */
const partner = Effect.fnUntraced(function* (flags: {
  readonly customer: Option.Option<string>
  readonly device: Option.Option<string>
}) {
  if (Option.isSome(flags.customer) && Option.isNone(flags.device)) {
    return { customerId: yield* customerId(flags.customer.value) } as Partner
  }
  if (Option.isSome(flags.device) && Option.isNone(flags.customer)) {
    return { deviceId: (yield* findDevice(flags.device.value)).id } as Partner
  }
  return yield* usage("Pass either --customer or --device")
})

const link = verb(
  "sites link",
  "Link a customer or a device to a site",
  { site: siteArgument, ...partners },
  Effect.fnUntraced(function* ({ site, ...flags }) {
    const other = yield* partner(flags)
    const id = yield* siteId(site)
    if ("customerId" in other) {
      return yield* showRecord(request("customers", "linkSite", { params: { id, ...other } }), customerFields)
    }
    yield* showRecord(request("devices", "linkSite", { params: { id, ...other } }), deviceFields)
  }),
  ["edp sites link home-1 --customer user-1"]
)

const unlink = verb(
  "sites unlink",
  "Unlink a customer or a device from a site; both stay",
  { site: siteArgument, ...partners },
  Effect.fnUntraced(function* ({ site, ...flags }) {
    const { show } = yield* Output
    const other = yield* partner(flags)
    const id = yield* siteId(site)
    if ("customerId" in other) {
      yield* request("customers", "unlinkSite", { params: { id, ...other } })
    } else {
      yield* request("devices", "unlinkSite", { params: { id, ...other } })
    }
    yield* show({ siteId: id, ...other, unlinked: true }, () => "Unlinked; both still exist.")
  })
)

const importSites = importCommand(sitesImport, [
  "edp sites import sites.csv --dry-run",
  "edp sites import sites.csv --report done.csv"
])

export const sites = Command.make("sites").pipe(
  Command.withDescription("Sites where devices are installed"),
  Command.withSubcommands([list, show, create, update, remove, devices, link, unlink, importSites])
)
