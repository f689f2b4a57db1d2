import { verb } from "../kernel/verb.ts"
import type { Event, EventData } from "@edp/domain/events/Event"
import { type EventType, eventTypes } from "@edp/domain/events/EventType"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Connection, request } from "../kernel/Connection.ts"
import { Output, refuseCsv } from "../kernel/Output.ts"
import { several, text } from "../kernel/flags.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import { patiently } from "../kernel/patience.ts"
import { type Column, cell } from "../kernel/table.ts"

type Data = EventData[keyof EventData]

const joined = (...words: ReadonlyArray<string | null>) => words.filter((word) => word !== null).join(" ")

/** The name of the event's subject. */
const formatSubject = (data: Data): string => {
  if ("device" in data) return data.device.name
  if ("alert" in data) return data.alert.title
  if ("site" in data) return data.site.name ?? data.site.address.streetOne
  if ("command" in data) return data.command.type
  if ("enrollment" in data) return data.enrollment.id
  if ("error" in data) return data.error.message
  const { email, firstName, id, lastName, referenceId } = data.customer
  return joined(firstName, lastName) || referenceId || email || id
}

/** The most important other detail. */
const formatDetail = (data: Data): string => {
  if ("changed" in data) return data.changed.join(", ")
  if ("alert" in data) return `${data.alert.severity} ${data.alert.status}`
  if (!("command" in data)) return ""
  const { reason, status } = data.command
  return reason === undefined ? status : `${status}: ${reason}`
}

const eventColumns: ReadonlyArray<Column<Event>> = [
  { title: "SEQUENCE", value: (event) => event.sequence, whole: true, right: true },
  { title: "TIME", value: (event) => event.timestamp, time: true, whole: true },
  { title: "TYPE", value: (event) => event.type, whole: true },
  { title: "OF", value: ({ data }) => formatSubject(data) },
  { title: "DETAIL", value: ({ data }) => formatDetail(data) },
  { title: "ID", value: (event) => event.id, wide: true, whole: true }
]

const TYPE_WIDTH = 19

/** An event as one line. */
export const eventLine = ({ data, timestamp, type }: Event): string =>
  [timestamp, type.padEnd(TYPE_WIDTH), cell(formatSubject(data)), formatDetail(data)].join("  ").trimEnd()

/** The filters of `list` and `tail`. */
const filterFlags = {
  type: Flag.Literals("type", eventTypes).pipe(Flag.withDescription("Event type; repeat for several"), Flag.atLeast(0)),
  deviceId: several("device", "Device id, also of alerts of the device"),
  siteId: several("site", "Site id, also of devices and alerts at the site")
}

const list = verb(
  "events list",
  "List events, newest first",
  {
    ...pagingFlags,
    ...filterFlags,
    from: text("from", "At or after this date-time"),
    to: text("to", "Before this date-time")
  },
  (flags) => showList(flags, "events", eventColumns, (query) => request("events", "list", { query })),
  [
    "edp events list --type DEVICE_CONNECTED --type DEVICE_DISCONNECTED",
    "edp events list --from 2026-03-01T00:00:00Z --all --json"
  ]
)

const PER_PAGE = 100
const SHOWN_FIRST = 10
const DEFAULT_SECONDS = 2

interface Filters {
  readonly type?: ReadonlyArray<EventType>
  readonly deviceId?: ReadonlyArray<string>
  readonly siteId?: ReadonlyArray<string>
}

const follow = Effect.fnUntraced(function* (filters: Filters, from: Option.Option<number>, seconds: number) {
  const output = yield* Output
  yield* refuseCsv("edp events tail")
  const call = yield* (yield* Connection).endpoint("events", "list", { retries: 0 })
  const show = (event: Event) => Console.log(output.json ? JSON.stringify(event) : eventLine(event))
  const eventsAfter = (after: number) =>
    Effect.map(patiently(call({ query: { ...filters, after, perPage: PER_PAGE } })), ({ data }) => data)
  /** A lower sequence may still be committed, so reading begins before the newest events and skips those shown already. */
  const newest = Effect.gen(function* () {
    const { data } = yield* patiently(call({ query: { ...filters, perPage: SHOWN_FIRST } }))
    const events = data.toReversed()
    yield* Effect.forEach(events, show, { discard: true })
    return { after: (events[0]?.sequence ?? 1) - 1, shown: new Set(events.map(({ sequence }) => sequence)) }
  })

  yield* output.note("Press Ctrl-C to stop")
  const start = Option.isSome(from) ? { after: from.value, shown: new Set<number>() } : yield* newest
  let after = start.after
  for (;;) {
    const events: ReadonlyArray<Event> = yield* eventsAfter(after)
    const fresh = events.filter(({ sequence }) => !start.shown.has(sequence))
    yield* Effect.forEach(fresh, show, { discard: true })
    after = events.at(-1)?.sequence ?? after
    if (events.length < PER_PAGE) yield* Effect.sleep(`${seconds} seconds`)
  }
})

const atLeast = (minimum: number) =>
  Flag.filter<number>(
    (value) => value >= minimum,
    () => `Must be an integer of at least ${minimum}`
  )

const tail = verb(
  "events tail",
  "Show each new event once, oldest first, until Ctrl-C",
  {
    ...filterFlags,
    after: Flag.Int("after").pipe(
      atLeast(0),
      Flag.withMetavar("sequence"),
      Flag.withDescription("Start after this sequence number, 0 for all events; default: the last 10"),
      Flag.optional
    ),
    interval: Flag.Int("interval").pipe(
      Flag.filter(
        (seconds) => seconds >= 1 && seconds <= 3600,
        () => "Must be an integer from 1 to 3600"
      ),
      Flag.withMetavar("seconds"),
      Flag.withDescription("Seconds between requests; default: 2"),
      Flag.withDefault(DEFAULT_SECONDS)
    )
  },
  ({ after, interval, ...filters }) => follow(given(filters), after, interval),
  ["edp events tail --type ALERT_CREATED", "edp events tail --after 0 --json"]
)

export const events = Command.make("events").pipe(
  Command.withDescription("Events of the last 30 days"),
  Command.withSubcommands([list, tail])
)
