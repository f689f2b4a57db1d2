import type { Call } from "./frames.ts"
import type { Request } from "./requests.ts"
import type { CommandOutcome, CommandReason, Session, Step } from "./Session.ts"
import { emit, withSession } from "./connectors.ts"

/** Requests that wait for a station at most. A command beyond that fails. */
export const MAX_QUEUE = 50

export const outcome = (
  commandId: string,
  status: CommandOutcome["status"],
  reason: CommandReason | null = null,
  upstream: CommandOutcome["upstream"] = null
): CommandOutcome => ({ commandId, status, reason, upstream })

/** Takes a command out of the open ones and reports its end. */
export const finishCommand = (step: Step, result: CommandOutcome): Step =>
  emit(withSession(step, { commands: step.session.commands.filter(({ id }) => id !== result.commandId) }), {
    outcomes: [result]
  })

/** Queues a request; one of a command comes before the station's configuration. */
export const enqueue = (step: Step, { action, payload }: Request, commandId: string | null = null): Step => {
  const { session } = step
  const call: Call = { _tag: "Call", id: `edp-${session.nextMessageId}`, action, payload }
  const queued = { call, commandId, sentAt: null }
  const ahead = session.queue.filter((one) => one.commandId !== null)
  const behind = session.queue.filter((one) => one.commandId === null)
  return withSession(step, {
    nextMessageId: session.nextMessageId + 1,
    queue: (commandId === null ? [...ahead, ...behind, queued] : [...ahead, queued, ...behind]).slice(0, MAX_QUEUE)
  })
}

/** Sends the next request unless one waits for its response. */
export const sendNext = (step: Step, now: number): Step => {
  const { connected, pending, queue } = step.session
  const [next, ...rest] = queue
  if (!connected || pending !== null || next === undefined) return step
  return emit(withSession(step, { pending: { ...next, sentAt: now }, queue: rest }), { requests: [next.call] })
}

const isOpen = (session: Session, commandId: string | null): commandId is string =>
  commandId !== null && session.commands.some(({ id }) => id === commandId)

/** Ends the request that waits. Its command has failed, unless the station's state has already settled it. */
const giveUp = (step: Step): Step => {
  const { pending } = step.session
  const cleared = withSession(step, { pending: null })
  return isOpen(step.session, pending?.commandId ?? null)
    ? finishCommand(cleared, outcome(pending!.commandId!, "failed", "unreachable"))
    : cleared
}

/** Ends a request that the station has left unanswered for too long. */
export const expirePending = (step: Step, now: number): Step => {
  const { pending, settings } = step.session
  return pending !== null && Math.abs(now - (pending.sentAt ?? now)) > settings.respondWithin ? giveUp(step) : step
}

/** Ends all requests of a connection that is gone. Commands that were delivered stay open: a later state settles them. */
export const abandonRequests = (step: Step): Step => {
  const unsent = step.session.queue.flatMap(({ commandId }) => (commandId === null ? [] : [commandId]))
  return unsent.reduce(
    (next, commandId) =>
      isOpen(next.session, commandId) ? finishCommand(next, outcome(commandId, "failed", "unreachable")) : next,
    giveUp(withSession(step, { queue: [] }))
  )
}

/** Takes a command back that was not sent to the station yet. */
export const withdraw = (step: Step, commandId: string): Step =>
  step.session.queue.some((queued) => queued.commandId === commandId)
    ? finishCommand(
        withSession(step, { queue: step.session.queue.filter((queued) => queued.commandId !== commandId) }),
        outcome(commandId, "failed", "unreachable")
      )
    : step

/** The station's response to the request that waits; a response to anything else is left out. */
export const takeResponse = (
  step: Step,
  id: string
): { readonly step: Step; readonly action: string; readonly commandId: string | null } | null => {
  const { pending } = step.session
  return pending === null || pending.call.id !== id
    ? null
    : {
        step: withSession(step, { pending: null }),
        action: pending.call.action,
        commandId: isOpen(step.session, pending.commandId) ? pending.commandId : null
      }
}
