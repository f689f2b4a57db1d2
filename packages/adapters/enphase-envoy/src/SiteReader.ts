import { Clock, Effect, Schema } from "effect"
import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import { readBatteryPower, readInventory, readRatedPower, readTotals, type BatteryInventory } from "./ensemble.ts"
import type { EnvoyGateway } from "./EnvoyGateway.ts"
import type { GatewayCredentials } from "./GatewayCredentials.ts"
import { BATTERY_GENERATION } from "./gatewayInfo.ts"
import { type Meter, type MeterKind, meterValues, readMeters } from "./meters.ts"
import { netConsumption, solarFromInverters, solarFromMeter, solarFromSum } from "./production.ts"
import type { Batteries, Grid, Site } from "./siteReport.ts"
import { readTariff, storageSettings } from "./tariff.ts"

export const pages = {
  meters: "/ivp/meters",
  readings: "/ivp/meters/readings",
  sum: "/api/v1/production",
  production: "/production.json?details=1",
  inventory: "/ivp/ensemble/inventory",
  status: "/ivp/ensemble/status",
  totals: "/ivp/ensemble/secctrl",
  power: "/ivp/ensemble/power",
  tariff: "/admin/lib/tariff"
} as const
type Page = (typeof pages)[keyof typeof pages]

/** Parts that hardly change and are read once an hour. */
export const Installation = Schema.Struct({
  /** Milliseconds since 1970. */
  readAt: Schema.Finite,
  /** Null for firmware that does not list meters. */
  meters: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        eid: Schema.Finite,
        kind: Schema.Literals(["production", "net-consumption", "total-consumption"]),
        phases: Schema.Finite
      })
    )
  ),
  batteries: Schema.Struct({
    serials: Schema.Array(Schema.String),
    capacity: Schema.NullOr(Schema.Finite),
    partNumber: Schema.NullOr(Schema.String)
  }),
  ratedPower: Schema.NullOr(Schema.Finite)
})
export type Installation = typeof Installation.Type

const INSTALLATION_EVERY = 3_600_000
/** After so many pages without a response a gateway counts as away, such as in its daily restart. */
const SILENT_PAGES = 2

const none: BatteryInventory = { serials: [], capacity: null, partNumber: null }

type Result = { readonly body: unknown } | { readonly error: AdapterError }

/** Errors that say something of the gateway as a whole rather than of a page. */
const concernsAll = ({ failure, upstream }: AdapterError) =>
  ["grant_lost", "token_refused", "misconfigured", "throttled", "elsewhere"].includes(failure) ||
  (failure === "unreachable" && (upstream?.errorCode ?? null) !== null)

/** Reads each page once. One that fails leaves its part out, unless all fail or `isStrict`. */
const pageReader = ({ read }: EnvoyGateway, isStrict: boolean) => {
  const known = new Map<Page, Result>()
  const errors: Array<AdapterError> = []
  let silent: AdapterError | undefined
  const ask = (page: Page) =>
    silent !== undefined && errors.filter(({ failure }) => failure === "unreachable").length >= SILENT_PAGES
      ? Effect.fail(silent)
      : read(page)
  return {
    page: Effect.fnUntraced(function* (page: Page) {
      const before = known.get(page)
      if (before !== undefined) return before
      const result: Result = yield* ask(page).pipe(
        Effect.map((body): Result => ({ body })),
        Effect.catchTag("AdapterError", (error) =>
          isStrict || concernsAll(error) ? Effect.fail(error) : Effect.succeed<Result>({ error })
        )
      )
      if ("error" in result) {
        errors.push(result.error)
        if (result.error.failure === "unreachable") silent = result.error
      }
      known.set(page, result)
      return result
    }),
    errors: () => errors,
    hasResponses: () => [...known.values()].some((result) => "body" in result)
  }
}
type PageReader = ReturnType<typeof pageReader>

/** The installation as far as it can be read; parts that fail are as they were before, and are read again next time. */
const readInstallation = Effect.fnUntraced(function* (
  { page }: PageReader,
  { generation }: GatewayCredentials,
  before: Installation | undefined,
  now: number
) {
  if (before !== undefined && now >= before.readAt && now - before.readAt < INSTALLATION_EVERY) return before
  const meters = yield* page(pages.meters)
  const inventory = generation >= BATTERY_GENERATION ? yield* page(pages.inventory) : { body: undefined }
  const batteries = "body" in inventory ? (readInventory(inventory.body) ?? none) : (before?.batteries ?? none)
  const status = batteries.serials.length > 0 ? yield* page(pages.status) : { body: undefined }
  const isWhole = "body" in meters && "body" in inventory && "body" in status
  return {
    readAt: isWhole ? now : 0,
    meters: "body" in meters ? (readMeters(meters.body) ?? null) : (before?.meters ?? null),
    batteries,
    ratedPower: "body" in status ? readRatedPower(status.body, batteries.serials) : (before?.ratedPower ?? null)
  } satisfies Installation
})

const find = ({ meters }: Installation, kind: MeterKind): Meter | undefined => meters?.find((one) => one.kind === kind)

const readSolar = Effect.fnUntraced(function* (
  { page }: PageReader,
  { isMetered }: GatewayCredentials,
  installation: Installation
): Effect.fn.Return<Site["solar"], AdapterError> {
  const meter = find(installation, "production")
  if (meter !== undefined) {
    const readings = yield* page(pages.readings)
    const values = "body" in readings ? meterValues(readings.body, meter) : undefined
    return values === undefined ? "unread" : solarFromMeter(values)
  }
  const sum = { page: pages.sum, read: solarFromSum }
  const inverters = { page: pages.production, read: solarFromInverters }
  // A model that measures and has no meters shows old figures as its sum.
  const sources = isMetered && installation.meters !== null ? [inverters, sum] : [sum, inverters]
  let isUnread = false
  for (const source of sources) {
    const result = yield* page(source.page)
    const solar = "body" in result ? source.read(result.body) : undefined
    if (solar !== undefined) return solar
    isUnread ||= "error" in result
  }
  return isUnread ? "unread" : undefined
})

const readGrid = Effect.fnUntraced(function* (
  { page }: PageReader,
  { isMetered }: GatewayCredentials,
  installation: Installation
): Effect.fn.Return<Grid | "unread" | undefined, AdapterError> {
  const meter = find(installation, "net-consumption")
  if (meter !== undefined) {
    const readings = yield* page(pages.readings)
    const values = "body" in readings ? meterValues(readings.body, meter) : undefined
    return values === undefined ? "unread" : { isMeasured: true, ...values }
  }
  const isComputed =
    find(installation, "total-consumption") !== undefined || (installation.meters === null && isMetered)
  if (!isComputed) return undefined
  const production = yield* page(pages.production)
  if ("error" in production) return "unread"
  const net = netConsumption(production.body)
  return net === undefined ? undefined : { isMeasured: false, ...net }
})

const readBatteries = Effect.fnUntraced(function* (
  { page }: PageReader,
  { batteries: inventory, ratedPower }: Installation
): Effect.fn.Return<Batteries | undefined, AdapterError> {
  if (inventory.serials.length === 0) return undefined
  const totals = yield* page(pages.totals)
  const power = yield* page(pages.power)
  const tariff = yield* page(pages.tariff)
  return {
    inventory,
    ratedPower,
    totals: "body" in totals ? readTotals(totals.body) : undefined,
    power: "body" in power ? readBatteryPower(power.body, inventory.serials) : undefined,
    settings: "body" in tariff ? storageSettings(readTariff(tariff.body)) : undefined
  }
})

/**
 * Reads a site. A page that fails leaves its part of the site unread; what concerns the whole gateway fails, and so does a site of which
 * nothing could be read.
 *
 * @param before What the last reading knew of the installation.
 * @param isStrict Whether every failure fails, as when the devices are listed.
 */
export const readSite = Effect.fn("Enphase.readSite")(function* (
  gateway: EnvoyGateway,
  credentials: GatewayCredentials,
  before: Installation | undefined,
  isStrict = false
) {
  const reader = pageReader(gateway, isStrict)
  const installation = yield* readInstallation(reader, credentials, before, yield* Clock.currentTimeMillis)
  const batteries = yield* readBatteries(reader, installation)
  const grid = yield* readGrid(reader, credentials, installation)
  const solar = yield* readSolar(reader, credentials, installation)
  const [first, ...others] = reader.errors()
  if (first !== undefined && !reader.hasResponses()) return yield* first
  const all = first === undefined ? [] : [first, ...others]
  const site: Site = {
    solar,
    grid,
    batteries,
    problems: all.flatMap(({ failure, message }) => (failure === "contract" ? [message] : []))
  }
  return { installation, site, now: yield* Clock.currentTimeMillis }
})
