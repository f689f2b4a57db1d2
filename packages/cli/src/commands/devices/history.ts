import { verb } from "../../kernel/verb.ts"
import { streamRecords } from "@edp/domain/client/streamRecords"
import type { Device } from "@edp/domain/devices/Device"
import type { RecordedFields } from "@edp/domain/devices/DeviceState"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { Clock, DateTime, Effect, Option, Stream } from "effect"
import { Flag } from "effect/cli"
import { usage } from "../../kernel/CliFailure.ts"
import { request } from "../../kernel/Connection.ts"
import { Output, showTable } from "../../kernel/Output.ts"
import { deviceArgument, findDevice } from "../../kernel/find.ts"
import { type Position, given, pagingFlags, showList } from "../../kernel/paging.ts"
import { type Point, lineThrough, renderPlot } from "../../kernel/plot.ts"
import type { Column } from "../../kernel/table.ts"

interface LocalDay {
  /** Start of the day and of the next one, in milliseconds since 1970. */
  readonly from: number
  readonly to: number
  /** Labels every three hours of local time. */
  readonly hours: ReadonlyArray<{ readonly at: number; readonly label: string }>
}

const HOURS_BETWEEN_TICKS = 3

const instant = (year: number, month: number, day: number, hour: number, timezone: string) =>
  Option.map(
    DateTime.makeZoned({ year, month, day, hour }, { timeZone: timezone, adjustForTimeZone: true }),
    DateTime.toEpochMillis
  )

const two = (value: number) => `${value}`.padStart(2, "0")

/** A day in a time zone, of 23 to 25 hours where its clocks change. None for an invalid date. */
export const localDay = (text: string, timezone: string): Option.Option<LocalDay> => {
  const [, year = 0, month = 0, day = 0] = (/^(\d{4})-(\d{2})-(\d{2})$/u.exec(text) ?? []).map(Number)
  const date = new Date(Date.UTC(year, month - 1, day))
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return Option.none()
  const next = new Date(Date.UTC(year, month - 1, day + 1))
  const from = instant(year, month, day, 0, timezone)
  const to = instant(next.getUTCFullYear(), next.getUTCMonth() + 1, next.getUTCDate(), 0, timezone)
  if (Option.isNone(from) || Option.isNone(to)) return Option.none()
  const hours = Array.from({ length: 24 / HOURS_BETWEEN_TICKS }, (_, at) => at * HOURS_BETWEEN_TICKS).flatMap((hour) =>
    Option.toArray(Option.map(instant(year, month, day, hour, timezone), (at) => ({ at, label: two(hour) })))
  )
  return Option.some({ from: from.value, to: to.value, hours: [...hours, { at: to.value, label: "24" }] })
}

/** The date of an instant in a time zone. */
export const formatDay = (instant: number, timezone: string): string => {
  const zoned = DateTime.makeZoned(instant, { timeZone: timezone })
  if (Option.isNone(zoned)) return new Date(instant).toISOString().slice(0, 10)
  const { day, month, year } = DateTime.toParts(zoned.value)
  return `${year}-${two(month)}-${two(day)}`
}

/** The state field of each type's curve, with its unit. */
const curves = {
  battery: ["chargeRate", "W"],
  charger: ["chargerWattage", "W"],
  inverter: ["power", "W"],
  meter: ["power", "W"],
  thermostat: ["ambientTemperature", "F"],
  vehicle: ["chargerWattage", "W"],
  water_heater: ["power", "W"],
  other: ["power", "W"],
  unknown: ["power", "W"]
} as const satisfies Record<DeviceType, readonly [field: string, unit: string]>

const signs: Partial<Record<DeviceType, string>> = {
  battery: "above 0 discharges, below charges",
  meter: "above 0 imports, below exports"
}

const counters = [
  ["lifetimeEnergyGenerated", "generated"],
  ["importedEnergy", "imported"],
  ["exportedEnergy", "exported"],
  ["lifetimeEnergyCharged", "charged"]
] as const

export const toPoints = (readings: ReadonlyArray<RecordedFields>, field: string): ReadonlyArray<Point> =>
  readings.flatMap((reading) => {
    const value = reading[field]
    return typeof value === "number" ? [{ at: Date.parse(reading.createdAt), value }] : []
  })

/** The increase of the counters from the first to the last reading. */
const energies = (readings: ReadonlyArray<RecordedFields>) =>
  counters.flatMap(([field, verb]) => {
    const [first, last] = [readings[0]?.[field], readings.at(-1)?.[field]]
    return typeof first === "number" && typeof last === "number"
      ? [`${((last - first) / 1000).toFixed(2)} kWh ${verb}`]
      : []
  })

/** Draws a day's curve with a heading; readings are in order of time. */
export const renderDay = (options: {
  readonly name: string
  readonly type: DeviceType
  readonly date: string
  readonly timezone: string
  readonly day: LocalDay
  readonly readings: ReadonlyArray<RecordedFields>
  readonly columns: number
}): string => {
  const { date, day, name, readings, timezone, type } = options
  const [field, unit] = curves[type]
  const points = toPoints(readings, field)
  const heading = `${name}, ${date} (${timezone}): ${field}, ${unit}${signs[type] === undefined ? "" : `; ${signs[type]}`}`
  if (points.length === 0) return `${heading}\nNo readings of ${field} on this day.`
  const columns = Math.min(options.columns, 120)
  const plot = renderPlot({
    curve: lineThrough(points),
    from: day.from,
    to: day.to,
    ticks: day.hours,
    unit,
    columns,
    rows: 12
  })
  return [heading, plot, energies(readings).join(", ")].filter((part) => part !== "").join("\n")
}

interface Range {
  readonly from?: string
  readonly to?: string
  readonly order?: "asc" | "desc"
}

const WIDTH_WITHOUT_TERMINAL = 80
/** Columns besides the time; --wide shows all. */
const MOST_FIELDS = 4

const fetchHistory = Effect.fnUntraced(function* (id: string, range: Range) {
  return (position: Position) => request("devices", "history", { params: { id }, query: { ...range, ...position } })
})

const readingColumns = (
  device: Device,
  readings: ReadonlyArray<RecordedFields>
): ReadonlyArray<Column<RecordedFields>> => {
  const first: Record<string, unknown> = readings[0] ?? device.state
  const names = new Set([...Object.keys(first), ...readings.flatMap((reading) => Object.keys(reading))])
  const fields = [...names].filter((name) => name !== "id" && name !== "createdAt")
  const isKnown = (name: string) => readings.some((reading) => reading[name] !== null && reading[name] !== undefined)
  const shown = new Set(fields.filter(isKnown).slice(0, MOST_FIELDS))
  return [
    { title: "TIME", value: (reading) => reading.createdAt, whole: true },
    ...fields.map((name) => ({
      title: name,
      value: (reading: RecordedFields) => reading[name],
      right: true,
      wide: !shown.has(name)
    }))
  ]
}

/** The time zone of a day: the flag's, else the site's, else UTC. */
const timezoneFor = Effect.fnUntraced(function* (device: Device, asked: Option.Option<string>) {
  if (Option.isSome(asked) || device.siteId === null) return Option.getOrElse(asked, () => "UTC")
  return yield* request("sites", "get", { params: { id: device.siteId }, query: {} }).pipe(
    Effect.map(({ timezone }) => timezone ?? "UTC"),
    Effect.catchTag("SITE_NOT_FOUND", () => Effect.succeed("UTC"))
  )
})

const newestDay = Effect.fnUntraced(function* (device: Device, timezone: string) {
  const now = yield* Clock.currentTimeMillis
  return formatDay(device.lastOnlineAt === null ? now : Date.parse(device.lastOnlineAt) - 1, timezone)
})

const showDay = Effect.fnUntraced(function* (
  device: Device,
  flags: { readonly day: Option.Option<string>; readonly timezone: Option.Option<string>; readonly plot: boolean }
) {
  const output = yield* Output
  const timezone = yield* timezoneFor(device, flags.timezone)
  const date = Option.isSome(flags.day) ? flags.day.value : yield* newestDay(device, timezone)
  const day = localDay(date, timezone)
  if (Option.isNone(day)) return yield* usage(`There is no day ${date} in ${timezone}: --day takes YYYY-MM-DD`)
  const data = yield* Stream.runCollect(streamRecords(yield* fetchHistory(device.id, toRange(day.value))))
  if (!flags.plot) return yield* showTable({ data, totalItems: data.length }, readingColumns(device, data), data)
  const columns = Number.isFinite(output.columns) ? output.columns : WIDTH_WITHOUT_TERMINAL
  yield* output.show({ device: device.id, date, timezone, data }, () =>
    renderDay({ name: device.name, type: device.type, date, timezone, day: day.value, readings: data, columns })
  )
})

/** Includes a reading at the very end of the day, which has the energy of the last hour. */
const toRange = ({ from, to }: LocalDay): Range => ({
  from: new Date(from).toISOString(),
  to: new Date(to + 1).toISOString(),
  order: "asc"
})

export const history = verb(
  "devices history",
  "Show a device's readings, or draw the power curve of a day",
  {
    device: deviceArgument,
    ...pagingFlags,
    from: Flag.String("from").pipe(
      Flag.withDescription("Start, such as 2025-06-21T00:00:00Z; default: 24 hours before --to"),
      Flag.optional
    ),
    to: Flag.String("to").pipe(Flag.withDescription("End, exclusive; default: now"), Flag.optional),
    order: Flag.Literals("order", ["asc", "desc"]).pipe(
      Flag.withDescription("Oldest or newest first; default: desc"),
      Flag.optional
    ),
    day: Flag.String("day").pipe(Flag.withDescription("A whole day, YYYY-MM-DD, oldest first"), Flag.optional),
    timezone: Flag.String("timezone").pipe(
      Flag.withDescription("Time zone of the day; default: the site's, else UTC"),
      Flag.optional
    ),
    plot: Flag.Boolean("plot").pipe(
      Flag.withDescription("Draw the day's curve; default day: that of the newest reading"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ all, day, device: name, page, perPage, plot, timezone, ...range }) {
    const wholeDay = plot || Option.isSome(day)
    const others = { page, perPage, ...range }
    if (wholeDay && Object.keys(given(others)).length > 0) {
      return yield* usage(
        "--day and --plot show a whole day: they can't be combined with --from, --to, --order, --page or --per-page"
      )
    }
    const device = yield* findDevice(name)
    if (wholeDay) return yield* showDay(device, { day, timezone, plot })
    const fetch = yield* fetchHistory(device.id, given(range))
    yield* showList({ all, page, perPage }, "readings", (rows) => Effect.succeed(readingColumns(device, rows)), fetch)
  }),
  [
    "edp devices history home-inverter --day 2025-06-21 --plot",
    "edp devices history home-meter --from 2025-06-21T00:00:00Z --to 2025-06-22T00:00:00Z --all"
  ]
)
