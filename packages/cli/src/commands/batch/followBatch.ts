import type { BatchCommand } from "@edp/domain/commands/BatchCommand"
import { Clock, Console, Effect } from "effect"
import { CliFailure } from "../../kernel/CliFailure.ts"
import { Connection } from "../../kernel/Connection.ts"
import { Output, refuseCsv } from "../../kernel/Output.ts"
import { patiently } from "../../kernel/patience.ts"
import { renderProgress } from "../../kernel/ProgressBar.ts"

/** Milliseconds. Polls count in the bulk class of the rate limit. */
const PAUSE = 1000
const LONGEST_PAUSE = 10_000
/** While all commands wait for their time. */
const SCHEDULED_PAUSE = 60_000

export const formatReasons = ({ reasons }: BatchCommand) =>
  Object.entries(reasons)
    .toSorted(([, one], [, other]) => other - one)
    .map(([reason, count]) => `${reason} ${count}`)
    .join(", ")

/** The numbers of commands by status, without zeros, and of reasons. */
export const formatCounts = (batch: BatchCommand): string => {
  const counts = Object.entries(batch.counts).filter(([, count]) => count > 0)
  const reasons = formatReasons(batch)
  const text = counts.map(([status, count]) => `${count} ${status}`).join(", ")
  return reasons === "" ? text : `${text} (${reasons})`
}

const isFinal = ({ counts }: BatchCommand) => counts.pending + counts.scheduled + counts.delivered === 0

const pauseBefore = ({ counts, scheduledFor, total }: BatchCommand, unchanged: number, now: number) => {
  const wait = counts.scheduled === total && scheduledFor !== undefined ? Date.parse(scheduledFor) - now : 0
  return wait > 0 ? Math.max(PAUSE, Math.min(wait, SCHEDULED_PAUSE)) : Math.min(PAUSE * 1.5 ** unchanged, LONGEST_PAUSE)
}

const failure = (batch: BatchCommand) => {
  const { aborted, counts, id, total } = batch
  return new CliFailure({
    code: "BATCH_FAILED",
    message: `${counts.failed} of ${total} commands failed: ${formatReasons(batch)}`,
    details: [
      ...(aborted ? ["the rest was cancelled, because too many had failed"] : []),
      `see them: edp commands list --batch ${id} --status failed`,
      `repeat them: edp batch retry ${id}`
    ]
  })
}

/** Shows the progress of a batch until all of its commands have ended. Fails if any has. Its end does not end the batch. */
export const followBatch = Effect.fn("batch.follow")(function* (id: string, known?: BatchCommand) {
  yield* refuseCsv("edp batch watch")
  const output = yield* Output
  const call = yield* (yield* Connection).endpoint("batchCommands", "get", { retries: 0 })
  const look = patiently(call({ params: { id } }))
  const began = yield* Clock.currentTimeMillis
  const columns = Number.isFinite(output.columns) ? output.columns : 80
  const isDrawn = output.animated && !output.json

  const draw = Effect.fnUntraced(function* (batch: BatchCommand) {
    const { completed, failed } = batch.counts
    const elapsedMs = (yield* Clock.currentTimeMillis) - began
    const progress = { label: batch.type, done: completed + failed, total: batch.total, unit: "commands" }
    yield* output.status(renderProgress({ ...progress, elapsedMs, columns, detail: formatCounts(batch) }))
  })
  const print = (batch: BatchCommand, at: number) =>
    Console.log(
      output.json ? JSON.stringify(batch) : `${new Date(at).toISOString()}  ${batch.status}: ${formatCounts(batch)}`
    )

  const last = yield* Effect.gen(function* () {
    let batch = known ?? (yield* look)
    let shown = ""
    let unchanged = 0
    yield* output.note(`${batch.type}, batch ${id}; press Ctrl-C to stop watching, the batch runs on`)
    for (;;) {
      const present = formatCounts(batch)
      unchanged = present === shown ? unchanged + 1 : 0
      if (isDrawn) yield* draw(batch)
      else if (present !== shown) yield* print(batch, yield* Clock.currentTimeMillis)
      if (isFinal(batch)) return batch
      shown = present
      yield* Effect.sleep(pauseBefore(batch, unchanged, yield* Clock.currentTimeMillis))
      batch = yield* look
    }
  }).pipe(Effect.ensuring(output.status("")))

  if (isDrawn) yield* print(last, yield* Clock.currentTimeMillis)
  if (last.counts.failed > 0) return yield* failure(last)
})
