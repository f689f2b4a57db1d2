import type { BatchCommand } from "@edp/domain/commands/BatchCommand"
import { commandSlugs } from "@edp/domain/devices/DeviceType"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { usage } from "../kernel/CliFailure.ts"
import { request } from "../kernel/Connection.ts"
import { durationFlag } from "../kernel/durationFlag.ts"
import { bodyText } from "../kernel/files.ts"
import { findDevice, siteId } from "../kernel/find.ts"
import { several, text } from "../kernel/flags.ts"
import { Output, showRecord } from "../kernel/Output.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import { type Column, renderCsvRecord, renderRecord, renderTable } from "../kernel/table.ts"
import { verb } from "../kernel/verb.ts"
import { followBatch, formatCounts, formatReasons } from "./batch/followBatch.ts"
import { parseInput } from "./commands/inputFields.ts"

const listFields = (record: object) => Object.entries(record).map(([name, value]) => `${name}=${String(value)}`)

const batchColumns: ReadonlyArray<Column<BatchCommand>> = [
  { title: "ID", value: ({ id }) => id, whole: true },
  { title: "STATUS", value: ({ status }) => status, whole: true },
  { title: "TYPE", value: ({ type }) => type },
  { title: "TOTAL", value: ({ total }) => total, right: true, whole: true },
  { title: "COMPLETED", value: ({ counts }) => counts.completed, right: true, whole: true },
  { title: "FAILED", value: ({ counts }) => counts.failed, right: true, whole: true },
  { title: "CREATED", value: ({ createdAt }) => createdAt, time: true, whole: true },
  { title: "INPUT", value: ({ input }) => listFields(input), wide: true },
  { title: "REASONS", value: formatReasons, wide: true },
  { title: "SKIPPED", value: ({ skippedTotal }) => skippedTotal, right: true, wide: true },
  { title: "SCHEDULED FOR", value: ({ scheduledFor }) => scheduledFor, time: true, wide: true },
  { title: "RETRY OF", value: ({ retryOf }) => retryOf, wide: true }
]

const optional = (name: string, value: unknown) => (value === undefined ? [] : [[name, value] as const])

const batchFields = (batch: BatchCommand) => {
  const { abortWhen } = batch
  return [
    ["id", batch.id] as const,
    ["type", batch.type] as const,
    ["input", listFields(batch.input)] as const,
    ["status", batch.aborted ? `${batch.status}, because too many failed` : batch.status] as const,
    ["commands", batch.total] as const,
    ["progress", formatCounts(batch)] as const,
    ["skipped", batch.skippedTotal] as const,
    ...optional("scheduled for", batch.scheduledFor),
    ...optional("expires", batch.expiresAt),
    ...optional("reverts after", batch.revertAfter === undefined ? undefined : `${batch.revertAfter} s`),
    ...optional("a minute", batch.maxPerMinute),
    ...optional(
      "aborts",
      abortWhen && `once ${abortWhen.failedPercent} % of ${abortWhen.afterAtLeast} or more have failed`
    ),
    ...optional("retry of", batch.retryOf),
    ["created", batch.createdAt] as const
  ]
}

const skippedColumns: ReadonlyArray<Column<BatchCommand["skipped"][number]>> = [
  { title: "SKIPPED DEVICE", value: ({ deviceId }) => deviceId, whole: true },
  { title: "CODE", value: ({ code }) => code, whole: true }
]

/** Shows a batch with the devices that were skipped. */
const showBatch = Effect.fnUntraced(function* (batch: BatchCommand) {
  const output = yield* Output
  const fields = batchFields(batch)
  yield* output.show(
    batch,
    () =>
      [
        renderRecord(fields),
        ...(batch.skipped.length === 0 ? [] : [renderTable(skippedColumns, batch.skipped, output.columns)])
      ].join("\n\n"),
    () => renderCsvRecord(fields)
  )
})

const id = Argument.String("id").pipe(Argument.withDescription("Id of the batch"))

const watchFlag = Flag.Boolean("watch").pipe(
  Flag.withDescription("Show the progress until all commands have ended; the exit code is 1 if any fails"),
  Flag.withDefault(false)
)

const followOrShow = (batch: BatchCommand, watch: boolean) => (watch ? followBatch(batch.id, batch) : showBatch(batch))

/** The ids of a file, one in a line. */
const readIds = Effect.fnUntraced(function* (path: string) {
  const lines = (yield* bodyText(path === "-" ? "-" : `@${path}`)).split("\n")
  return lines.map((line) => line.trim()).filter((line) => line !== "")
})

const selectors = {
  device: several("device", "Device, by id, the manufacturer's id or name"),
  file: Flag.String("file").pipe(
    Flag.withDescription("File of devices' ids, one in a line; - for standard input"),
    Flag.optional
  ),
  tag: text("tag", "Devices with this tag"),
  collection: text("collection", "Id of a collection of devices"),
  site: text("site", "Devices at this site, by id, reference or name")
}

interface Selectors {
  readonly device: ReadonlyArray<string>
  readonly file: Option.Option<string>
  readonly tag: Option.Option<string>
  readonly collection: Option.Option<string>
  readonly site: Option.Option<string>
}

const selected = Effect.fnUntraced(function* ({ collection, device, file, site, tag }: Selectors) {
  const listed = device.length > 0 || Option.isSome(file)
  const ways = [listed, ...[tag, collection, site].map((flag) => Option.isSome(flag))]
  if (ways.filter(Boolean).length !== 1) {
    return yield* usage("Select the devices in one way: --device and --file, --tag, --collection or --site")
  }
  if (!listed) {
    const siteIds = Option.isSome(site) ? { siteId: yield* siteId(site.value) } : {}
    return { ...given({ tag, collectionId: collection }), ...siteIds }
  }
  const found = yield* Effect.forEach(device, findDevice, { concurrency: 4 })
  const read = Option.isSome(file) ? yield* readIds(file.value) : []
  return { deviceIds: [...found.map((one) => one.id), ...read] }
})

const send = verb(
  "batch send",
  "Send a command to many devices; --watch follows it to its end",
  {
    type: Argument.Literals("type", commandSlugs).pipe(Argument.withDescription("Type of the command")),
    fields: Argument.String("field=value").pipe(
      Argument.withDescription("A field of the input, such as chargePercentage=30"),
      Argument.atLeast(0)
    ),
    ...selectors,
    scheduledFor: text("at", "Time to send the commands, such as 2026-03-01T18:00:00Z; default: now"),
    expiresAt: text("expires", "Time after which none is sent; default: 15 minutes after its own turn"),
    revertAfter: durationFlag(
      "revert-after",
      "End the forced mode after this time and restore the settings from before, 1m to 24h"
    ),
    maxPerMinute: Flag.Int("max-per-minute").pipe(
      Flag.withDescription("Spread the commands evenly, so many in a minute"),
      Flag.optional
    ),
    abortPercent: Flag.Int("abort-percent").pipe(
      Flag.withDescription("Cancel the rest once this share of the finished commands has failed, 1 to 100"),
      Flag.optional
    ),
    abortAfter: Flag.Int("abort-after").pipe(
      Flag.withDescription("Finished commands below which --abort-percent does nothing; default: 10"),
      Flag.optional
    ),
    watch: watchFlag
  },
  Effect.fnUntraced(function* ({
    abortAfter,
    abortPercent,
    collection,
    device,
    fields,
    file,
    site,
    tag,
    type,
    watch,
    ...times
  }) {
    if (Option.isNone(abortPercent) && Option.isSome(abortAfter)) {
      return yield* usage("--abort-after needs --abort-percent")
    }
    const input = yield* parseInput(type, fields)
    const devices = yield* selected({ collection, device, file, site, tag })
    const abortWhen = Option.isSome(abortPercent) && {
      abortWhen: { failedPercent: abortPercent.value, afterAtLeast: Option.getOrElse(abortAfter, () => 10) }
    }
    const payload = { ...devices, type, input, ...given(times), ...abortWhen }
    return yield* followOrShow(yield* request("batchCommands", "create", { payload }), watch)
  }),
  [
    "edp batch send battery:set-reserve chargePercentage=30 --tag pilot --max-per-minute 600 --watch",
    "edp batch send battery:set-reserve chargePercentage=30 --file ids.txt --abort-percent 20 --abort-after 50"
  ]
)

const list = verb("batch list", "List batches, newest first", pagingFlags, (flags) =>
  showList(flags, "batches", batchColumns, (query) => request("batchCommands", "list", { query }))
)

const show = verb("batch show", "Show a batch with its progress and the devices that were skipped", { id }, ({ id }) =>
  Effect.flatMap(request("batchCommands", "get", { params: { id } }), showBatch)
)

const watch = verb(
  "batch watch",
  "Show the progress of a batch until all commands have ended; the exit code is 1 if any fails",
  { id },
  ({ id }) => followBatch(id)
)

const cancel = verb("batch cancel", "Cancel the commands of a batch that were not sent yet", { id }, ({ id }) =>
  showRecord(request("batchCommands", "cancel", { params: { id } }), batchFields)
)

const retry = verb(
  "batch retry",
  "Send the failed commands of a batch again, as a new batch",
  { id, watch: watchFlag },
  Effect.fnUntraced(function* ({ id, watch }) {
    yield* followOrShow(yield* request("batchCommands", "retryFailed", { params: { id } }), watch)
  })
)

export const batch = Command.make("batch").pipe(
  Command.withDescription("The same command for many devices, with its progress"),
  Command.withSubcommands([send, list, show, watch, cancel, retry])
)
