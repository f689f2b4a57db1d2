import { keptText } from "./decoding.ts"
import type { CallError, Payload } from "./frames.ts"
import type { Connector, ConnectorStatus, NewCommand, OpenCommand, Session, Step } from "./Session.ts"
import { deviceId, emit, emitReading, findConnector, isPluggedIn, updateConnector, withSession } from "./connectors.ts"
import { enqueue, finishCommand, MAX_QUEUE, outcome } from "./outgoing.ts"
import { comparePower } from "@edp/domain/commands/confirmByState"
import { chargerLimit } from "./chargerLimits.ts"
import { clearLimit, remoteStart, remoteStop, type Request, setLimit } from "./requests.ts"

/** Milliseconds after which an unconfirmed command is forgotten; its time-out is the caller's and is shorter. */
const FORGET_AFTER = 3_600_000

type Plan =
  | { readonly _tag: "Send"; readonly request: Request; readonly paused: boolean; readonly limit: number | null }
  | { readonly _tag: "AlreadySo" }
  | { readonly _tag: "Unmet"; readonly reason: "precondition_not_plugged_in" | "precondition_unmet" }

const send = (request: Request, paused: boolean, limit: number | null = null): Plan => ({
  _tag: "Send",
  request,
  paused,
  limit
})

const unmet: Plan = { _tag: "Unmet", reason: "precondition_unmet" }

/** Charging with a power. A profile is bound to a transaction, so that the next vehicle is not limited by it. */
const planPower = (session: Session, connector: Connector, power: number): Plan => {
  const { limit: present = null, number, status, transactionId } = connector
  const { settings, version } = session
  const limit = chargerLimit(session, connector, power)
  if (limit === undefined) return unmet
  if (transactionId !== null) {
    return status === "Charging" && present === power
      ? { _tag: "AlreadySo" }
      : send(setLimit(version, number, limit, { transactionId }), false, power)
  }
  if (status === "Charging") return unmet
  return send(remoteStart(version, number, settings.remoteToken, session.nextMessageId, limit), false, power)
}

/** Milliseconds for which a status from before the connection was lost stands in a command's way. */
const STATUS_KNOWN = 5 * 60_000

/** Whether a status is that of now: a cable may have been plugged in while the station was away. */
const isPresent = ({ connectedAt = 0 }: Session, { statusSeenAt }: Connector, now: number) =>
  statusSeenAt == null || statusSeenAt >= connectedAt || now - statusSeenAt < STATUS_KNOWN

/** The condition of the connector that keeps it from charging. */
const obstacle = ({ paused, status, transactionId }: Connector): Plan | undefined => {
  if (isPluggedIn(status) === false) return { _tag: "Unmet", reason: "precondition_not_plugged_in" }
  if (status === "Faulted" || status === "Unavailable") return unmet
  // The charger offers power and the vehicle takes none: it is full, or waits for its own schedule.
  return status === "SuspendedEV" && transactionId !== null && !paused ? unmet : undefined
}

const planStart = (session: Session, connector: Connector, power: number | undefined, now: number): Plan => {
  const { limit = null, number, paused, status, transactionId } = connector
  const { settings, version } = session
  const known = isPresent(session, connector, now) ? obstacle(connector) : undefined
  if (known !== undefined) return known
  if (power !== undefined) return planPower(session, connector, power)
  if (status === "Charging") return limit === null ? { _tag: "AlreadySo" } : send(clearLimit(version, number), false)
  if (paused || (status === "SuspendedEVSE" && transactionId !== null)) return send(clearLimit(version, number), false)
  return send(remoteStart(version, number, settings.remoteToken, session.nextMessageId), false)
}

const noCurrent = { unit: "A", value: 0 } as const

const planStop = (
  { version }: Session,
  { number, status, transactionId }: Connector,
  until: number | undefined
): Plan => {
  // A stop with an end is a pause: the vehicle needs no new transaction, and the station can end it by itself.
  if (transactionId !== null && status === "Charging" && until !== undefined)
    return send(setLimit(version, number, noCurrent, { transactionId, until }), true)
  if (transactionId !== null) return send(remoteStop(version, transactionId), false)
  // A station that charges without transactions, as some do at home, can only be limited.
  if (status === "Charging") return send(setLimit(version, number, noCurrent, { until }), true)
  return { _tag: "AlreadySo" }
}

/** The plan of start-charging or stop-charging in the connector's present state. `until`: the end of a forced mode. */
export const planCharging = (
  session: Session,
  connector: Connector,
  { mode, targetPowerW }: Pick<OpenCommand, "mode" | "targetPowerW">,
  now: number,
  until?: number
): Plan =>
  mode === "start-charging" ? planStart(session, connector, targetPowerW, now) : planStop(session, connector, until)

/** Milliseconds in which a station does what it has accepted. */
const EFFECT_WITHIN = 60_000

/** Whether the station has yet to do the opposite of a command: its state proves nothing then. */
const isAboutToChange = ({ commands }: Session, command: Pick<OpenCommand, "connector" | "mode">, now: number) =>
  commands.some(
    ({ connector, issuedAt, mode }) =>
      connector === command.connector && mode !== command.mode && now - issuedAt < EFFECT_WITHIN
  )

/** Takes a command: a precondition that is known to be unmet ends it at once, without a call. */
export const takeCommand = (step: Step, command: NewCommand, now: number): Step => {
  const { session } = step
  const connector = findConnector(session, command.connector)
  const ended = (result: Parameters<typeof outcome>[1], reason: Parameters<typeof outcome>[2]) =>
    emit(step, { outcomes: [outcome(command.id, result, reason)] })
  if (session.commands.some(({ id }) => id === command.id)) return step
  const waiting = session.queue.filter(({ commandId }) => commandId !== null)
  if (!session.connected || waiting.length >= MAX_QUEUE) return ended("failed", "unreachable")
  if (connector === undefined) return ended("failed", "precondition_unmet")
  const until = command.revertAfter === undefined ? undefined : now + command.revertAfter * 1000
  const plan = planCharging(session, connector, command, now, until)
  if (plan._tag === "AlreadySo")
    return isAboutToChange(session, command, now) ? ended("failed", "unreachable") : ended("completed", "already_so")
  if (plan._tag === "Unmet") return ended("failed", plan.reason)
  if (command.unsaved === true) return ended("failed", "unreachable")
  const { id, mode, revertAfter, targetPowerW } = command
  const open: OpenCommand = {
    id,
    mode,
    connector: command.connector,
    issuedAt: now,
    ...(revertAfter === undefined ? {} : { revertAfter }),
    ...(targetPowerW === undefined ? {} : { targetPowerW }),
    ...(mode === "start-charging" && connector.status === "Charging" ? { awaitsResponse: true } : {}),
    limitBefore: connector.limit ?? null,
    statusBefore: connector.status,
    ...(connector.status === "Charging"
      ? connector.power !== null && { powerBefore: connector.power }
      : { powerBefore: null })
  }
  const others = session.commands.filter(({ issuedAt }) => now - issuedAt < FORGET_AFTER)
  const opened = updateConnector(withSession(step, { commands: [...others, open] }), connector.number, {
    paused: plan.paused,
    pausedTransaction: plan.paused ? connector.transactionId : null,
    limit: plan.limit
  })
  return enqueue(opened, plan.request, command.id)
}

/** The station's response to a command's request. Accepted is no more than delivered. */
export const respondToCommand = (step: Step, commandId: string, payload: Payload): Step => {
  const status = typeof payload.status === "string" ? payload.status : null
  const command = step.session.commands.find(({ id }) => id === commandId)
  // A limit that the station does not know any more has ended by itself.
  if (status === "Accepted" || (status === "Unknown" && command?.mode === "start-charging")) {
    const commands = step.session.commands.map((one) =>
      one.id === commandId ? { ...one, awaitsResponse: false } : one
    )
    return emit(withSession(step, { commands }), { outcomes: [outcome(commandId, "delivered")] })
  }
  const info = payload.statusInfo
  const reasonCode =
    typeof info === "object" && info !== null && "reasonCode" in info ? keptText(String(info.reasonCode), 255) : null
  return refuse(step, commandId, { code: reasonCode ?? status, description: status })
}

export const respondWithError = (step: Step, commandId: string, { code, description }: CallError): Step =>
  refuse(step, commandId, { code, description: description === "" ? null : description })

const refuse = (
  step: Step,
  commandId: string,
  { code, description }: { readonly code: string | null; readonly description: string | null }
): Step => {
  const command = step.session.commands.find(({ id }) => id === commandId)
  const limit = command?.limitBefore ?? null
  const unpaused =
    command === undefined
      ? step
      : updateConnector(step, command.connector, {
          limit,
          ...(command.mode === "stop-charging" && { paused: false, pausedTransaction: null })
        })
  const { session } = step
  const transactionId = findConnector(session, command?.connector ?? 0)?.transactionId ?? null
  // Many stations can't be limited. They can be stopped, and the platform starts them again.
  if (command?.mode === "stop-charging" && command.revertAfter !== undefined && transactionId !== null) {
    const { revertAfter: _, ...lasting } = command
    const commands = session.commands.map((one) => (one.id === commandId ? lasting : one))
    return enqueue(withSession(unpaused, { commands }), remoteStop(session.version, transactionId), commandId)
  }
  return finishCommand(
    unpaused,
    outcome(commandId, "failed", "refused", {
      statusCode: null,
      errorCode: code === null ? null : keptText(code, 255),
      errorMessage: description === null ? null : keptText(description, 10_000),
      requestId: null
    })
  )
}

const CHARGING_W = 50
const stopped = new Set<ConnectorStatus>(["Available", "Preparing", "Finishing", "Reserved", "Unavailable", "Faulted"])

const startResult = (
  session: Session,
  connector: Connector,
  { awaitsResponse, issuedAt, powerBefore, targetPowerW }: OpenCommand,
  now: number
) => {
  const { measuredAt, power, status, transactionId } = connector
  if (awaitsResponse === true) return null
  const isMeasured = power !== null && measuredAt !== null && measuredAt >= issuedAt
  if (status === "Charging" && targetPowerW !== undefined) {
    if (!isMeasured || comparePower(targetPowerW, power, powerBefore) !== "met") return null
  }
  if (status === "Charging" || (status === null && transactionId !== null && isMeasured && power > CHARGING_W))
    return outcome("", "completed")
  if (!isPresent(session, connector, now)) return null
  if (status === "Faulted" || status === "Unavailable") return outcome("", "failed", "contradicted_by_state")
  return isPluggedIn(status) === false ? outcome("", "failed", "precondition_not_plugged_in") : null
}

/** A status that was so before the command proves nothing: the transaction has to end. */
const stopResult = ({ paused, status, transactionId }: Connector, { statusBefore }: OpenCommand) => {
  const noTransaction = transactionId === null && status !== "Charging"
  const heldBack = paused && status !== null && status !== "Charging"
  const hasStopped = status !== null && status !== statusBefore && stopped.has(status)
  return noTransaction || heldBack || hasStopped ? outcome("", "completed") : null
}

/**
 * The platform settles a delivered command by a reading that was taken after it was sent. A station whose clock is behind, or tells whole
 * seconds, reports an earlier time: then the state is reported once more for the time at which it arrived.
 */
const report = (step: Step, { connector, issuedAt }: OpenCommand, now: number): Step => {
  const id = deviceId(step.session, connector)
  const isLater = step.readings.some((one) => one.manufacturerDeviceId === id && one.observedAt >= issuedAt)
  return isLater ? step : emitReading(step, connector, now)
}

/** Ends the commands that the station's state confirms or contradicts, whether or not it has answered them yet. */
export const settleCommands = (step: Step, now: number): Step =>
  step.session.commands.reduce((next, command) => {
    const { connector: number, id, mode } = command
    const connector = findConnector(next.session, number)
    const result =
      connector === undefined
        ? null
        : mode === "start-charging"
          ? startResult(next.session, connector, command, now)
          : stopResult(connector, command)
    return result === null ? next : report(finishCommand(next, { ...result, commandId: id }), command, now)
  }, step)
