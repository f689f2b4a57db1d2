import { Effect } from "effect"
import { Connection } from "../../Connection.ts"
import type { CheckedFile, DeviceSpan } from "./checkFile.ts"
import type { FileReading } from "./csv/Reading.ts"
import type { Target } from "./Target.ts"

const holds = (stored: Readonly<Record<string, unknown>> | undefined, { state, timestamp }: FileReading) =>
  stored !== undefined &&
  stored["createdAt"] === timestamp &&
  Object.entries(state).every(([name, value]) => stored[name] === value)

const isStored = Effect.fnUntraced(function* ({ count, first, last }: DeviceSpan, target: Target | undefined) {
  if (target === undefined || target.isNew) return false
  const history = yield* (yield* Connection).endpoint("devices", "history")
  const range = { from: first.timestamp, to: new Date(Date.parse(last.timestamp) + 1).toISOString(), perPage: 1 }
  const ends = yield* Effect.all([
    history({ params: { id: target.id }, query: { ...range, order: "asc" } }),
    history({ params: { id: target.id }, query: { ...range, order: "desc" } })
  ])
  const [oldest, newest] = ends
  return oldest.totalItems === count && holds(oldest.data[0], first) && holds(newest.data[0], last)
})

/**
 * Whether a home's file was imported before, whole: in its span the service has as many readings as it, and the first
 * and the last, which carry the sums of all between, are its own. Spares sending a year again to learn that.
 */
export const isWhollyStored = Effect.fn("telemetry.isWhollyStored")(function* (
  file: CheckedFile,
  targets: ReadonlyMap<string, Target>
) {
  if (file.form !== "home") return false
  for (const [device, span] of file.devices) {
    if (!(yield* isStored(span, targets.get(device)))) return false
  }
  return true
})
