import type { Command as DeviceCommand } from "@edp/domain/commands/Command"
import type { CommandPreview } from "@edp/domain/commands/CommandPreview"
import { commandStatuses } from "@edp/domain/commands/CommandStatus"
import { commandSlugs } from "@edp/domain/devices/DeviceType"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { request } from "../kernel/Connection.ts"
import { Output, showRecord } from "../kernel/Output.ts"
import { durationFlag } from "../kernel/durationFlag.ts"
import { deviceArgument, deviceNames, findDevice } from "../kernel/find.ts"
import { several, text, choices } from "../kernel/flags.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import { type Column, renderCsvRecord, renderRecord, renderTable } from "../kernel/table.ts"
import { verb } from "../kernel/verb.ts"
import { followCommand, formatForcedMode, formatNote, formatUpstream } from "./commands/followCommand.ts"
import { parseInput } from "./commands/inputFields.ts"

const listFields = (record: object | null) =>
  record === null ? null : Object.entries(record).map(([name, value]) => `${name}=${String(value)}`)

const withReason = ({ reason, status }: Pick<DeviceCommand, "reason" | "status">) =>
  reason === undefined ? status : `${status}: ${reason}`

const commandColumns = Effect.fn("commands.columns")(function* (commands: ReadonlyArray<DeviceCommand>) {
  const names = yield* deviceNames(commands.map(({ deviceId }) => deviceId))
  const columns: ReadonlyArray<Column<DeviceCommand>> = [
    { title: "ID", value: ({ id }) => id, whole: true },
    { title: "DEVICE", value: ({ deviceId }) => names.get(deviceId) ?? deviceId },
    { title: "TYPE", value: ({ type }) => type },
    { title: "STATUS", value: withReason, whole: true },
    { title: "ISSUED", value: ({ issuedAt }) => issuedAt, time: true, whole: true },
    { title: "NOTE", value: ({ note }) => note?.code, wide: true },
    { title: "INPUT", value: ({ input }) => listFields(input), wide: true },
    { title: "SOURCE", value: ({ source }) => source, wide: true },
    { title: "SCHEDULED FOR", value: ({ scheduledFor }) => scheduledFor, time: true, wide: true },
    { title: "EXECUTED", value: ({ executedAt }) => executedAt, time: true, wide: true },
    { title: "DEVICE ID", value: ({ deviceId }) => deviceId, wide: true },
    { title: "BATCH", value: ({ batchId }) => batchId, wide: true }
  ]
  return columns
})

const optional = (name: string, value: unknown) =>
  value === undefined || value === null ? [] : [[name, value] as const]

const commandFields = (command: DeviceCommand) => [
  ["id", command.id] as const,
  ["device", command.deviceId] as const,
  ["type", command.type] as const,
  ["input", listFields(command.input)] as const,
  ["status", withReason(command)] as const,
  ...optional("note", command.note && formatNote(command.note)),
  ["source", [command.source, command.sourceId].filter(Boolean).join(" ")] as const,
  ["issued", command.issuedAt] as const,
  ...optional("scheduled for", command.scheduledFor),
  ...optional("expires", command.expiresAt),
  ...optional("reverts after", command.revertAfter === undefined ? undefined : `${command.revertAfter} s`),
  ...optional("executed", command.executedAt),
  ...optional("output", listFields(command.output)),
  ...optional("upstream", formatUpstream(command)),
  ...optional("forced mode", command.forcedMode && formatForcedMode(command.forcedMode)),
  ...optional("late result", command.lateResult && `${withReason(command.lateResult)}, ${command.lateResult.at}`),
  ...optional("batch", command.batchId)
]

const previewFields = (preview: CommandPreview) => [
  ["outcome", `${preview.outcome}: ${preview.code}`] as const,
  ["preview", preview.sentence] as const,
  ["power W", preview.powerW] as const,
  ["export W", preview.exportW] as const,
  ["energy Wh", preview.energyWh] as const,
  ["home W", preview.homeW] as const,
  ["charge %", preview.chargePercentage] as const,
  ["stops at %", preview.stopsAtPercentage] as const,
  ["readings", preview.readings.map(({ ageSeconds, type }) => `${type}, ${ageSeconds} s old`)] as const
]

const transitionColumns: ReadonlyArray<Column<DeviceCommand["transitions"][number]>> = [
  { title: "AT", value: ({ at }) => at, whole: true },
  { title: "STATUS", value: ({ status }) => status, whole: true }
]

const id = Argument.String("id").pipe(Argument.withDescription("Id of the command"))

const send = verb(
  "commands send",
  "Send a command to a device; --watch follows it to its end",
  {
    device: deviceArgument,
    type: Argument.Literals("type", commandSlugs).pipe(
      Argument.withDescription("Type of the command; `edp devices show` lists those of the device")
    ),
    fields: Argument.String("field=value").pipe(
      Argument.withDescription("A field of the input, such as operatingMode=charge"),
      Argument.atLeast(0)
    ),
    scheduledFor: text("at", "Time to send it, such as 2026-03-01T18:00:00Z; default: now"),
    expiresAt: text("expires", "Time after which it is not sent; default: 15 minutes after --at or now"),
    revertAfter: durationFlag(
      "revert-after",
      "End the forced mode after this time and restore the settings from before, 1m to 24h"
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Send nothing: show what the command would do by the newest readings"),
      Flag.withDefault(false)
    ),
    watch: Flag.Boolean("watch").pipe(
      Flag.withDescription("Show each status until the command ends; the exit code is 1 if it fails"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ device, dryRun, fields, type, watch, ...times }) {
    const input = yield* parseInput(type, fields)
    const { id: deviceId } = yield* findDevice(device)
    const body = { params: { id: deviceId }, payload: { type, input, ...given(times) } }
    if (dryRun) return yield* showRecord(request("commands", "preview", body), previewFields)
    const sent = request("commands", "send", body)
    if (!watch) return yield* showRecord(sent, commandFields)
    const command = yield* sent
    return yield* followCommand(command.id, command)
  }),
  [
    'edp commands send "Garage battery" battery:set-operating-mode operatingMode=discharge --dry-run',
    'edp commands send "Garage battery" battery:set-operating-mode operatingMode=charge --revert-after 1h --watch',
    "edp commands send hallway thermostat:set-operating-mode operatingMode=heat heatTarget=68 --at 2026-03-01T18:00:00Z"
  ]
)

const list = verb(
  "commands list",
  "List commands, newest first",
  {
    ...pagingFlags,
    device: text("device", "Device, by id, the manufacturer's id or name"),
    status: choices("status", commandStatuses),
    type: choices("type", commandSlugs),
    batchId: several("batch", "Id of a batch"),
    sourceId: several("source", "Id of the schedule or dispatch that issued them"),
    from: text("from", "Issued at or after this date-time"),
    to: text("to", "Issued before this date-time")
  },
  Effect.fnUntraced(function* ({ device, ...filters }) {
    const deviceId = Option.isNone(device) ? [] : [(yield* findDevice(device.value)).id]
    yield* showList({ ...filters, deviceId }, "commands", commandColumns, (query) =>
      request("commands", "list", { query })
    )
  }),
  ['edp commands list --device "Garage battery" --status failed']
)

const show = verb(
  "commands show",
  "Show a command with the time of each status, its result and its forced mode",
  { id },
  Effect.fnUntraced(function* ({ id }) {
    const output = yield* Output
    const command = yield* request("commands", "get", { params: { id } })
    const fields = commandFields(command)
    yield* output.show(
      command,
      () => [renderRecord(fields), renderTable(transitionColumns, command.transitions, output.columns)].join("\n\n"),
      () => renderCsvRecord(fields)
    )
  })
)

const watch = verb(
  "commands watch",
  "Show each status of a command until it ends; the exit code is 1 if it fails",
  { id },
  ({ id }) => followCommand(id)
)

const cancel = verb("commands cancel", "Cancel a command that was not sent yet", { id }, ({ id }) =>
  showRecord(request("commands", "cancel", { params: { id } }), commandFields)
)

export const commands = Command.make("commands").pipe(
  Command.withDescription("Commands and their status"),
  Command.withSubcommands([send, list, show, watch, cancel])
)
