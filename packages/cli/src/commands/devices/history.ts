import type { Device } from "@edp/domain/devices/Device"
import type { RecordedState } from "@edp/domain/devices/DeviceState"
import { streamRecords } from "@edp/domain/client/streamRecords"
import { Clock, Effect, Option, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { usage } from "../../CliFailure.ts"
import { Connection } from "../../Connection.ts"
import { Output, showTable } from "../../Output.ts"
import { given, pagingFlags, type Position, showList } from "../../paging.ts"
import type { Column } from "../../table.ts"
import { renderDay } from "./dayCurve.ts"
import { deviceArgument, findDevice } from "./find.ts"
import { dayOf, type LocalDay, localDay } from "./localDay.ts"

interface Range {
  readonly from?: string
  readonly to?: string
  readonly order?: "asc" | "desc"
}

const WIDTH_WITHOUT_TERMINAL = 80
/** Fields beside the time; --wide shows them all. */
const MOST_FIELDS = 4

const fetchHistory = Effect.fnUntraced(function* (id: string, range: Range) {
  const call = yield* (yield* Connection).endpoint("devices", "history")
  return (position: Position) => call({ params: { id }, query: { ...range, ...position } })
})

const columnsOf = (device: Device, readings: ReadonlyArray<RecordedState>): ReadonlyArray<Column<RecordedState>> => {
  const first: Record<string, unknown> = readings[0] ?? device.state
  const names = new Set([...Object.keys(first), ...readings.flatMap((reading) => Object.keys(reading))])
  const fields = [...names].filter((name) => name !== "id" && name !== "createdAt")
  const isKnown = (name: string) => readings.some((reading) => reading[name] !== null && reading[name] !== undefined)
  const shown = new Set(fields.filter(isKnown).slice(0, MOST_FIELDS))
  return [
    { title: "TIME", value: (reading) => reading.createdAt, whole: true },
    ...fields.map((name) => ({
      title: name,
      value: (reading: RecordedState) => reading[name],
      right: true,
      wide: !shown.has(name)
    }))
  ]
}

/** The time zone to read a day in: the one asked for, else the site's, else UTC. */
const timezoneFor = Effect.fnUntraced(function* (device: Device, asked: Option.Option<string>) {
  if (Option.isSome(asked) || device.siteId === null) return Option.getOrElse(asked, () => "UTC")
  const call = yield* (yield* Connection).endpoint("sites", "get")
  return yield* call({ params: { id: device.siteId }, query: {} }).pipe(
    Effect.map(({ timezone }) => timezone ?? "UTC"),
    Effect.catchTag("SITE_NOT_FOUND", () => Effect.succeed("UTC"))
  )
})

const newestDay = Effect.fnUntraced(function* (device: Device, timezone: string) {
  const now = yield* Clock.currentTimeMillis
  return dayOf(device.lastOnlineAt === null ? now : Date.parse(device.lastOnlineAt) - 1, timezone)
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
  const data = yield* Stream.runCollect(streamRecords(yield* fetchHistory(device.id, rangeOf(day.value))))
  if (!flags.plot) return yield* showTable({ data, totalItems: data.length }, columnsOf(device, data), data)
  const columns = Number.isFinite(output.columns) ? output.columns : WIDTH_WITHOUT_TERMINAL
  yield* output.show({ device: device.id, date, timezone, data }, () =>
    renderDay({ name: device.name, type: device.type, date, timezone, day: day.value, readings: data, columns })
  )
})

/** The reading at the day's very end belongs to it: it tells of the last hour. */
const rangeOf = ({ from, to }: LocalDay): Range => ({
  from: new Date(from).toISOString(),
  to: new Date(to + 1).toISOString(),
  order: "asc"
})

export const history = Command.make(
  "history",
  {
    device: deviceArgument,
    ...pagingFlags,
    from: Flag.String("from").pipe(
      Flag.withDescription("First instant, such as 2025-06-21T00:00:00Z; default: 24 hours before --to"),
      Flag.optional
    ),
    to: Flag.String("to").pipe(Flag.withDescription("Instant before which readings end; default: now"), Flag.optional),
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
      Flag.withDescription("Draw the day's curve; without --day the day of the newest reading"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("devices.history")(function* ({ all, day, device: name, page, perPage, plot, timezone, ...range }) {
    const wholeDay = plot || Option.isSome(day)
    const others = { page, perPage, ...range }
    if (wholeDay && Object.keys(given(others)).length > 0) {
      return yield* usage(
        "--day and --plot show a whole day: --from, --to, --order, --page and --per-page don't go with them"
      )
    }
    const device = yield* findDevice(name)
    if (wholeDay) return yield* showDay(device, { day, timezone, plot })
    const fetch = yield* fetchHistory(device.id, given(range))
    yield* showList({ all, page, perPage }, "readings", (rows) => Effect.succeed(columnsOf(device, rows)), fetch)
  })
).pipe(
  Command.withDescription("Show a device's readings, or draw the power curve of a day"),
  Command.withExamples([
    { command: "edp devices history home-inverter --day 2025-06-21 --plot" },
    { command: "edp devices history home-meter --from 2025-06-21T00:00:00Z --to 2025-06-22T00:00:00Z --all" }
  ])
)
