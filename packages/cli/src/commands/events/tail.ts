import type { Event } from "@edp/domain/events/Event"
import type { EventType } from "@edp/domain/events/EventType"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { Output } from "../../Output.ts"
import { given } from "../../paging.ts"
import { patiently } from "../../patience.ts"
import { filterFlags } from "./flags.ts"
import { eventLine } from "./record.ts"

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
  const call = yield* (yield* Connection).endpoint("events", "list", { retries: 0 })
  const show = (event: Event) => Console.log(output.json ? JSON.stringify(event) : eventLine(event))
  const eventsAfter = (after: number) =>
    Effect.map(patiently(call({ query: { ...filters, after, perPage: PER_PAGE } })), ({ data }) => data)
  /** Of the last ones a lower one may still come: the walk begins before them, and passes over what is shown already. */
  const newest = Effect.gen(function* () {
    const { data } = yield* patiently(call({ query: { ...filters, perPage: SHOWN_FIRST } }))
    const events = data.toReversed()
    yield* Effect.forEach(events, show, { discard: true })
    return { after: (events[0]?.sequence ?? 1) - 1, shown: new Set(events.map(({ sequence }) => sequence)) }
  })

  yield* output.note("Ctrl-C ends")
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

export const tail = Command.make(
  "tail",
  {
    ...filterFlags,
    after: Flag.Int("after").pipe(
      atLeast(0),
      Flag.withMetavar("sequence"),
      Flag.withDescription("Begin with what comes after this event, 0 for the very beginning; default: the last 10"),
      Flag.optional
    ),
    interval: Flag.Int("interval").pipe(
      Flag.filter(
        (seconds) => seconds >= 1 && seconds <= 3600,
        () => "Must be an integer from 1 to 3600"
      ),
      Flag.withMetavar("seconds"),
      Flag.withDescription("How often to look; default: 2"),
      Flag.withDefault(DEFAULT_SECONDS)
    )
  },
  Effect.fn("events.tail")(function* ({ after, interval, ...filters }) {
    yield* follow(given(filters), after, interval)
  })
).pipe(
  Command.withDescription("Show each event once as it comes, oldest first, until Ctrl-C"),
  Command.withExamples([
    { command: "edp events tail --type ALERT_CREATED" },
    { command: "edp events tail --after 0 --json" }
  ])
)
