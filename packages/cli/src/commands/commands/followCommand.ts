import type { Command } from "@edp/domain/commands/Command"
import type { CommandNote } from "@edp/domain/commands/CommandNote"
import type { ForcedMode } from "@edp/domain/devices/ForcedMode"
import { Clock, Console, Effect } from "effect"
import { CliFailure } from "../../kernel/CliFailure.ts"
import { Connection } from "../../kernel/Connection.ts"
import { Output, refuseCsv } from "../../kernel/Output.ts"
import { patiently } from "../../kernel/patience.ts"

/** Milliseconds. */
const SHORTEST_PAUSE = 500
const LONGEST_PAUSE = 10_000
/** While a command waits for its time it can only be cancelled or overridden. */
const SCHEDULED_PAUSE = 60_000

export const formatForcedMode = ({ mode, source, until }: ForcedMode) =>
  `${mode} until ${until}, then the settings from before (by ${source})`

export const formatNote = ({ code, sentence }: CommandNote) => `${sentence} (${code})`

export const formatUpstream = ({ upstream }: Command): string | null => {
  if (upstream === null) return null
  const { errorCode, errorMessage, requestId, statusCode } = upstream
  const parts = [statusCode, errorCode, errorMessage, requestId === null ? null : `(request ${requestId})`]
  return parts.filter((part) => part !== null && part !== "").join(" ")
}

const isFinal = ({ status }: Command) => status === "completed" || status === "failed"

/** Polls often after a change, then backs off. */
const pauseBefore = ({ scheduledFor, status }: Command, unchanged: number, now: number) => {
  const wait = status === "scheduled" && scheduledFor !== undefined ? Date.parse(scheduledFor) - now : 0
  const backoff = Math.min(SHORTEST_PAUSE * 1.5 ** unchanged, LONGEST_PAUSE)
  return wait > 0 ? Math.max(SHORTEST_PAUSE, Math.min(wait, SCHEDULED_PAUSE)) : backoff
}

/** The lines of what a look shows beyond the one before. */
const newLines = (command: Command, before: Command | undefined): ReadonlyArray<string> => {
  const { forcedMode, lateResult, note, reason, status } = command
  const transitions = command.transitions.slice(before?.transitions.length ?? 0).map((transition) => {
    const why = transition.status === status && reason !== undefined ? `: ${reason}` : ""
    return `${transition.at}  ${transition.status}${why}`
  })
  const forced = forcedMode === undefined ? undefined : formatForcedMode(forcedMode)
  const forcedBefore = before?.forcedMode === undefined ? undefined : formatForcedMode(before.forcedMode)
  return [
    ...transitions,
    ...(forced !== undefined && forced !== forcedBefore ? [`forced mode: ${forced}`] : []),
    ...(note === undefined || before?.note !== undefined ? [] : [`note: ${formatNote(note)}`]),
    ...(lateResult === undefined
      ? []
      : [`${lateResult.at}  late result: ${[lateResult.status, lateResult.reason].filter(Boolean).join(": ")}`])
  ]
}

const failure = (command: Command) => {
  const { reason, type } = command
  const upstream = formatUpstream(command)
  return new CliFailure({
    code: "COMMAND_FAILED",
    message: `${type} failed: ${reason ?? "without a reason"}`,
    details: upstream === null ? [] : [`the manufacturer: ${upstream}`]
  })
}

/** Shows each status of a command until it has ended. Fails if the command does. */
export const followCommand = Effect.fn("commands.follow")(function* (id: string, known?: Command) {
  yield* refuseCsv("edp commands watch")
  const output = yield* Output
  const call = yield* (yield* Connection).endpoint("commands", "get", { retries: 0 })
  const look = patiently(call({ params: { id } }))
  let command = known ?? (yield* look)
  let before: Command | undefined
  let unchanged = 0
  yield* output.note(`${command.type}, command ${id}; press Ctrl-C to stop watching`)
  for (;;) {
    const lines = newLines(command, before)
    if (lines.length > 0) yield* Console.log(output.json ? JSON.stringify(command) : lines.join("\n"))
    if (isFinal(command)) break
    unchanged = lines.length > 0 ? 0 : unchanged + 1
    yield* Effect.sleep(pauseBefore(command, unchanged, yield* Clock.currentTimeMillis))
    before = command
    command = yield* look
  }
  if (command.status === "failed") return yield* failure(command)
})
