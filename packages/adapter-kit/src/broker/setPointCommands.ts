import { Effect } from "effect"
import { AdapterError } from "../AdapterError.ts"
import type { CommandRequest, CommandResult } from "../ManufacturerAdapter.ts"
import type { BrokerSession } from "./BrokerSession.ts"
import type { SetPointControl } from "./BrokerDevice.ts"
import { type LastingMode, requireSetPointSnapshot, type SetPointModes, setPointSnapshot } from "./SetPointModes.ts"

/** A battery with modes by a set-point. */
export interface SetPointTarget {
  readonly modes: SetPointModes
  readonly externalId: string
  readonly id: string
  readonly use: LastingMode["use"]
}

/** Seconds within which a device shows a new set-point. */
const SHOWN_WITHIN = 5

const result = (isShown: boolean): CommandResult => ({
  status: isShown ? "completed" : "accepted",
  reason: null,
  output: null,
  upstream: null
})

const refuse = (message: string, commandReason: "precondition_unmet" | "unsupported_value" = "precondition_unmet") =>
  AdapterError.of("refused", message, { commandReason })

const required = (control: SetPointControl | undefined) =>
  control === undefined
    ? Effect.fail(refuse("The device does not support battery:set-operating-mode", "unsupported_value"))
    : Effect.succeed(control)

/** Sends a set-point, and waits until the device shows it. One that it has shown before does not count. */
const send = Effect.fnUntraced(function* (session: BrokerSession, control: SetPointControl, setPoint: number | null) {
  const heard = session.feed.heard()
  yield* session.broker.publish(control.message(setPoint))
  const shown = Effect.gen(function* () {
    for (;;) {
      const messages = session.messages()
      if (control.shown(session.feed.readAfter(heard)) === setPoint) return true
      yield* session.moreThan(messages)
    }
  })
  return yield* shown.pipe(
    Effect.raceFirst(session.broker.ended),
    Effect.timeoutOrElse({ duration: `${SHOWN_WITHIN} seconds`, orElse: () => Effect.succeed(false) }),
    // The message is delivered, whatever happens to the connection afterwards.
    Effect.catch(() => Effect.succeed(false))
  )
})

/** Ends a mode: the set-point is taken away, and nothing sends it again. */
export const endSetPoint = ({ id, modes, use }: SetPointTarget): Effect.Effect<CommandResult, AdapterError> =>
  Effect.gen(function* () {
    const wasLasting = modes.isLasting(id)
    yield* modes.end(id)
    return yield* use((session, described) =>
      Effect.gen(function* () {
        const control = yield* required(described)
        // One that was sent a moment ago may not be shown yet.
        if (!wasLasting && control.shown(session.feed.read) === null) return result(true)
        return result(yield* send(session, control, null))
      })
    )
  })

/** Begins a mode, changes it, or ends it by `reset`. */
export const sendSetPoint = Effect.fnUntraced(function* (
  target: SetPointTarget,
  { input, revertAfter, saveSnapshot, snapshot }: CommandRequest
): Effect.fn.Return<CommandResult, AdapterError> {
  const { externalId, id, modes, use } = target
  if (snapshot !== null) yield* requireSetPointSnapshot(snapshot)
  if (input["operatingMode"] === "reset") {
    if (snapshot === null) return yield* refuse("No mode of the platform holds, so there is nothing to restore")
    return yield* endSetPoint(target)
  }
  return yield* use((session, described) =>
    Effect.gen(function* () {
      const control = yield* required(described)
      const setPoint = control.compute(input, session.feed.read)
      if (typeof setPoint !== "number") return yield* refuse(setPoint.refused)
      const shown = control.shown(session.feed.read)
      if (shown === undefined) return yield* refuse("The device does not show its set-point, so it could not be ended")
      if (shown !== null && snapshot === null && !modes.hasSent(id, shown)) {
        return yield* refuse(`Another program has set the set-point to ${shown} W`)
      }
      yield* modes.end(id)
      if (snapshot === null) yield* saveSnapshot(setPointSnapshot)
      const isShown = yield* send(session, control, setPoint)
      yield* modes.begin(id, {
        externalId,
        input,
        everySeconds: control.everySeconds,
        seconds: revertAfter,
        begun: setPoint,
        use
      })
      return result(isShown)
    })
  )
})
