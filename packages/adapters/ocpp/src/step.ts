import { Result, type Schema } from "effect"
import { handlers16 } from "./calls16.ts"
import { handlers201 } from "./calls201.ts"
import { respondToCommand, respondWithError, settleCommands, takeCommand } from "./commands.ts"
import { powerStatic, takeConfiguration } from "./chargerLimits.ts"
import { emit, stationDevice, withSession } from "./connectors.ts"
import { payloadReader } from "./decoding.ts"
import { type Call, callError, type FrameLimits, type OcppVersion, readFrame } from "./frames.ts"
import { calls16 } from "./messages16.ts"
import { calls201 } from "./messages201.ts"
import { abandonRequests, enqueue, expirePending, sendNext, takeResponse, withdraw } from "./outgoing.ts"
import { triggerMessage } from "./requests.ts"
import { type Connector, type Incoming, noEffects, type Session, type Step } from "./Session.ts"
import type { Handled } from "./stationState.ts"

type AnyHandler = (step: Step, call: any, now: number) => Handled

interface KnownCall {
  readonly read: ReturnType<typeof payloadReader<Schema.ConstraintDecoder<unknown>>>
  readonly handle: AnyHandler
}

const knownCalls = (
  schemas: Readonly<Record<string, Schema.ConstraintDecoder<unknown>>>,
  handlers: Readonly<Record<string, AnyHandler>>
): ReadonlyMap<string, KnownCall> =>
  new Map(
    Object.entries(schemas).map(([action, schema]) => [
      action,
      { read: payloadReader(schema), handle: handlers[action]! }
    ])
  )

const known: Readonly<Record<OcppVersion, ReadonlyMap<string, KnownCall>>> = {
  "1.6": knownCalls(calls16, handlers16),
  "2.0.1": knownCalls(calls201, handlers201)
}

const takeCall = (step: Step, call: Call, now: number): Step => {
  const { bootedAt, settings, version } = step.session
  const refused = (...error: [kind: Parameters<typeof callError>[2], description: string]) =>
    emit(step, { replies: [callError(version, call.id, ...error)] })
  const action = known[version].get(call.action)
  if (action === undefined) return refused("notImplemented", `${call.action} is not implemented`)
  if (!settings.registered && call.action !== "BootNotification")
    return refused("security", "The station is not registered")
  const payload = action.read(call.payload)
  if (Result.isFailure(payload)) return refused(payload.failure.kind, payload.failure.message)
  const { response, step: next } = action.handle(step, payload.success, now)
  const replied = emit(next, { replies: [{ _tag: "CallResult", id: call.id, payload: response }] })
  // A station that has kept running through a restart of ours does not announce itself again; it is asked to, once.
  const silent = bootedAt === null && call.action !== "BootNotification"
  return silent
    ? enqueue(withSession(replied, { bootedAt: now }), triggerMessage(version, "BootNotification"))
    : replied
}

const takeMessage = (step: Step, text: string, now: number, limits: FrameLimits | undefined): Step => {
  const heard = withSession(step, { lastMessageAt: now })
  const frame = readFrame(step.session.version, text, limits)
  switch (frame._tag) {
    case "Malformed":
      return frame.response === null ? heard : emit(heard, { replies: [frame.response] })
    case "Call":
      return takeCall(heard, frame, now)
    case "CallResult":
    case "CallError": {
      const taken = takeResponse(heard, frame.id)
      if (taken === null) return heard
      if (taken.commandId === null) {
        const isConfiguration = frame._tag === "CallResult" && taken.action === "GetConfiguration"
        return isConfiguration ? takeConfiguration(taken.step, frame.payload) : taken.step
      }
      return frame._tag === "CallResult"
        ? respondToCommand(taken.step, taken.commandId, frame.payload)
        : respondWithError(taken.step, taken.commandId, frame)
    }
  }
}

/**
 * A station has connected. After a loss of the connection alone it sends no BootNotification and maybe no status: it is
 * asked for its status. A change of the protocol makes ids of transactions meaningless.
 */
const connect = (step: Step, version: OcppVersion, now: number): Step => {
  const abandoned = abandonRequests(step)
  const { session } = abandoned
  const kept: Partial<Session> =
    session.version === version
      ? {}
      : {
          version,
          transactions: [],
          starts: [],
          ended: [],
          connectors: session.connectors.map((connector) => ({ ...connector, transactionId: null, paused: false }))
        }
  const connected = withSession(abandoned, { ...kept, connected: true, connectedAt: now })
  return session.bootedAt === null ? connected : enqueue(connected, triggerMessage(version, "StatusNotification"))
}

/** Connectors that take powers now and did not before are described anew, or the other way round. */
const describePowers = (step: Step, before: Session): Step => {
  const takes = (session: Session, connector: Connector) => powerStatic(session, connector) !== null
  const changed = step.session.connectors.filter((connector) => {
    const known = before.connectors.find(({ number }) => number === connector.number)
    return known !== undefined && takes(before, known) !== takes(step.session, connector)
  })
  return changed.length === 0
    ? step
    : emit(step, { devices: changed.map((connector) => stationDevice(step.session, connector)) })
}

/**
 * Takes what happened at one station and returns its new state with what is to be done. The order of effects: replies,
 * requests, then the rest. Nothing here fails: a message that cannot be used is answered with an error or left out.
 *
 * @param now Milliseconds since 1970.
 */
export const step = (session: Session, incoming: Incoming, now: number, limits?: FrameLimits): Step => {
  const begin: Step = { ...noEffects, session }
  const next = (() => {
    switch (incoming._tag) {
      case "Connected":
        return connect(begin, incoming.version, now)
      case "Disconnected":
        return withSession(abandonRequests(begin), { connected: false })
      case "Message":
        return takeMessage(begin, incoming.text, now, limits)
      case "Command":
        return takeCommand(begin, incoming, now)
      case "Withdraw":
        return withdraw(begin, incoming.id)
      case "Tick":
        return expirePending(begin, now)
    }
  })()
  return sendNext(describePowers(settleCommands(next, now), session), now)
}
