import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { alertFields } from "./record.ts"

const id = Argument.String("id").pipe(Argument.withDescription("Id of the alert"))

export const ack = Command.make(
  "ack",
  {
    id,
    snoozeUntil: Flag.String("snooze-until").pipe(
      Flag.withDescription("Pause follow-up until this date-time, such as 2030-01-01T08:00:00Z"),
      Flag.optional
    )
  },
  Effect.fn("alerts.ack")(function* ({ id, snoozeUntil }) {
    const call = yield* (yield* Connection).endpoint("alerts", "acknowledge")
    const payload = Option.isSome(snoozeUntil) ? { snoozeUntil: snoozeUntil.value } : {}
    yield* showRecord(yield* call({ params: { id }, payload }), alertFields)
  })
).pipe(Command.withDescription("Acknowledge an alert"), Command.withAlias("acknowledge"))

export const ignore = Command.make(
  "ignore",
  { id },
  Effect.fn("alerts.ignore")(function* ({ id }) {
    const call = yield* (yield* Connection).endpoint("alerts", "ignore")
    yield* showRecord(yield* call({ params: { id } }), alertFields)
  })
).pipe(Command.withDescription("Ignore an alert: suppressed without being resolved"))

export const resolve = Command.make(
  "resolve",
  { id },
  Effect.fn("alerts.resolve")(function* ({ id }) {
    const call = yield* (yield* Connection).endpoint("alerts", "resolve")
    yield* showRecord(yield* call({ params: { id } }), alertFields)
  })
).pipe(Command.withDescription("Resolve an alert"))
