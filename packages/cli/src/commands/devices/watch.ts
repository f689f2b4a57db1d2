import { verb } from "../../kernel/verb.ts"
import type { Device } from "@edp/domain/devices/Device"
import type { RecordedFields } from "@edp/domain/devices/DeviceState"
import { Console, Effect } from "effect"
import { Flag } from "effect/cli"
import { Connection } from "../../kernel/Connection.ts"
import { Output, refuseCsv } from "../../kernel/Output.ts"
import { deviceArgument, findDevice } from "../../kernel/find.ts"
import { patiently } from "../../kernel/patience.ts"
import { cell } from "../../kernel/table.ts"

const GAP = "  "
const NARROWEST = 8

const fieldNames = (reading: RecordedFields) =>
  Object.keys(reading).filter((name) => name !== "id" && name !== "createdAt")

/** Formats readings as lines; a new field adds a column and a new header line. */
export const readingLines = () => {
  let columns: ReadonlyArray<readonly [name: string, width: number]> = []
  return (reading: RecordedFields): ReadonlyArray<string> => {
    const names = columns.map(([name]) => name)
    const added = fieldNames(reading).filter((name) => !names.includes(name))
    columns = [
      ...columns,
      ...added.map((name) => [name, Math.max(NARROWEST, name.length, cell(reading[name]).length)] as const)
    ]
    const values = columns.map(([name, width]) => cell(reading[name]).padStart(width))
    const titles = columns.map(([name, width]) => name.padStart(width))
    return [
      ...(added.length > 0 ? [["TIME".padEnd(reading.createdAt.length), ...titles].join(GAP)] : []),
      [reading.createdAt, ...values].join(GAP)
    ]
  }
}

const PER_PAGE = 100
const DEFAULT_SECONDS = 5

/** The millisecond after a reading: times of a device's readings are unique. */
const after = (time: string) => new Date(Date.parse(time) + 1).toISOString()

const newestReading = ({ state }: Device): RecordedFields | undefined =>
  "createdAt" in state ? (state as RecordedFields) : undefined

/** Shows the readings after one time up to another. */
const readingsBetween = Effect.fnUntraced(function* <E, R>(
  id: string,
  last: string | undefined,
  newest: string,
  show: (reading: RecordedFields) => Effect.Effect<void, E, R>
) {
  const call = yield* (yield* Connection).endpoint("devices", "history", { retries: 0 })
  const span = { from: last === undefined ? newest : after(last), to: after(newest), order: "asc" as const }
  let cursor: string | undefined
  do {
    const query = { ...span, perPage: PER_PAGE, ...(cursor !== undefined && { cursor }) }
    const { data, nextCursor } = yield* patiently(call({ params: { id }, query }))
    yield* Effect.forEach(data, show, { discard: true })
    cursor = nextCursor
  } while (cursor !== undefined)
})

const follow = Effect.fnUntraced(function* (found: Device, seconds: number) {
  const output = yield* Output
  const call = yield* (yield* Connection).endpoint("devices", "get", { retries: 0 })
  const formatLines = readingLines()
  const show = (reading: RecordedFields) =>
    Console.log(output.json ? JSON.stringify(reading) : formatLines(reading).join("\n"))

  yield* output.note(`${found.name} is ${found.onlineStatus}; press Ctrl-C to stop`)
  const first = newestReading(found)
  if (first !== undefined) yield* show(first)
  let device = found
  for (;;) {
    yield* Effect.sleep(`${seconds} seconds`)
    const now = yield* patiently(call({ params: { id: found.id } }))
    if (now.onlineStatus !== device.onlineStatus) yield* output.note(`${now.name} is ${now.onlineStatus}`)
    const [last, newest] = [newestReading(device)?.createdAt, newestReading(now)?.createdAt]
    if (newest !== undefined && newest !== last) {
      // Readings never move back, unless the device was removed and added again.
      yield* readingsBetween(found.id, last !== undefined && last < newest ? last : undefined, newest, show)
    }
    device = now
  }
})

export const watch = verb(
  "devices watch",
  "Show the newest reading and each new one, until Ctrl-C",
  {
    device: deviceArgument,
    interval: Flag.Int("interval").pipe(
      Flag.filter(
        (seconds) => seconds >= 1 && seconds <= 3600,
        () => "Must be an integer from 1 to 3600"
      ),
      Flag.withMetavar("seconds"),
      Flag.withDescription("Seconds between requests; default: 5"),
      Flag.withDefault(DEFAULT_SECONDS)
    )
  },
  Effect.fnUntraced(function* ({ device, interval }) {
    yield* refuseCsv("edp devices watch")
    yield* follow(yield* findDevice(device), interval)
  }),
  ["edp devices watch home-inverter --interval 2"]
)
