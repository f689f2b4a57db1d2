import {
  type Schedule,
  type ScheduleTarget,
  type ScheduleTransition,
  type ScheduledType,
  scheduledTypes
} from "@edp/domain/schedules/Schedule"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { usage } from "../kernel/CliFailure.ts"
import { request } from "../kernel/Connection.ts"
import { Output } from "../kernel/Output.ts"
import { findDevice } from "../kernel/find.ts"
import { several, text, choices, yes } from "../kernel/flags.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import { type Column, renderCsv, renderCsvRecord, renderRecord, renderTable } from "../kernel/table.ts"
import { confirmDeletion, verb } from "../kernel/verb.ts"
import { drawWeek } from "./schedules/drawWeek.ts"
import { formatMode, formatRule, parseMode, parseRule } from "./schedules/ruleText.ts"

const formatTarget = (target: ScheduleTarget) => {
  if ("deviceId" in target) return `device ${target.deviceId}`
  return "tag" in target ? `tag ${target.tag}` : `collection ${target.collectionId}`
}

const scheduleColumns: ReadonlyArray<Column<Schedule>> = [
  { title: "ID", value: ({ id }) => id, whole: true },
  { title: "NAME", value: ({ name }) => name },
  { title: "TARGET", value: ({ target }) => formatTarget(target) },
  { title: "TYPE", value: ({ deviceType }) => deviceType, whole: true },
  { title: "STATE", value: ({ enabled }) => (enabled ? "enabled" : "paused"), whole: true },
  { title: "NEXT", value: ({ nextTransitionAt }) => nextTransitionAt, time: true, whole: true },
  { title: "TIME ZONE", value: ({ timezone }) => timezone, wide: true },
  { title: "DEFAULT", value: ({ defaultMode }) => defaultMode && formatMode(defaultMode), wide: true },
  { title: "RULES", value: ({ rules }) => rules.map(formatRule), wide: true }
]

const scheduleFields = (schedule: Schedule) =>
  [
    ["id", schedule.id],
    ["name", schedule.name],
    ["target", formatTarget(schedule.target)],
    ["type", schedule.deviceType],
    ["state", schedule.enabled ? "enabled" : "paused"],
    ["next", schedule.nextTransitionAt],
    ["time zone", schedule.timezone],
    ["default", schedule.defaultMode && formatMode(schedule.defaultMode)],
    ...schedule.rules.map((rule, index) => [`rule ${index}`, formatRule(rule)] as const),
    ["created", schedule.createdAt],
    ["updated", schedule.updatedAt]
  ] as const

/** Shows the fields of a schedule, and its week. */
const showSchedule = Effect.fnUntraced(function* <E, R>(read: Effect.Effect<Schedule, E, R>) {
  const output = yield* Output
  const schedule = yield* read
  yield* output.show(
    schedule,
    () => `${renderRecord(scheduleFields(schedule))}\n\n${drawWeek(schedule, output.columns)}`,
    () => renderCsvRecord(scheduleFields(schedule))
  )
})

const id = Argument.String("id").pipe(Argument.withDescription("Id of the schedule"))

const find = (id: string) => request("schedules", "get", { params: { id } })

const rules = several("rule", "DAYS START-END MODE, such as 'mon-fri 22:00-06:00 charge maximumBatteryReserve=90'")

const modeFlag = text("default", "Mode outside of the rules, such as idle; none leaves a device as it is")

const targetFlags = {
  device: text("device", "Device, by id, the manufacturer's id or name"),
  tag: text("tag", "Devices with this tag"),
  collectionId: text("collection", "Id of a collection of devices")
}

const planFlags = {
  type: Flag.Literals("type", scheduledTypes).pipe(
    Flag.withDescription("Type of the devices; of a device it is the device's"),
    Flag.optional
  ),
  timezone: text("timezone", "Time zone; default: that of the device's site, else the workspace's"),
  defaultMode: modeFlag,
  rules
}

interface TargetFlags {
  readonly device: Option.Option<string>
  readonly tag: Option.Option<string>
  readonly collectionId: Option.Option<string>
}

const isScheduled = (type: string): type is ScheduledType => scheduledTypes.some((one) => one === type)

/** The target that the flags name, and its type if it is a device. */
const findTarget = Effect.fnUntraced(function* ({ collectionId, device, tag }: TargetFlags) {
  const count = [collectionId, device, tag].filter(Option.isSome).length
  if (count > 1) return yield* usage("Pass only one of --device, --tag and --collection")
  if (Option.isSome(device)) {
    const { id, name, type } = yield* findDevice(device.value)
    if (!isScheduled(type)) return yield* usage(`${name} is of the type ${type}, which has no operating modes`)
    return { target: { deviceId: id }, type }
  }
  if (Option.isSome(tag)) return { target: { tag: tag.value }, type: undefined }
  return Option.isSome(collectionId)
    ? { target: { collectionId: collectionId.value }, type: undefined }
    : { target: undefined, type: undefined }
})

/** `none` is no mode. */
const parseDefault = (type: ScheduledType, mode: string) =>
  mode === "none" ? Effect.succeed(null) : parseMode(type, mode)

const parsePlan = Effect.fnUntraced(function* (
  flags: { readonly defaultMode: Option.Option<string>; readonly rules: ReadonlyArray<string> },
  type: ScheduledType
) {
  return {
    rules: yield* Effect.forEach(flags.rules, (rule) => parseRule(type, rule)),
    ...(Option.isSome(flags.defaultMode) && { defaultMode: yield* parseDefault(type, flags.defaultMode.value) })
  }
})

const requireType = (type: ScheduledType | undefined) =>
  type === undefined
    ? Effect.fail(usage(`Pass --type: ${scheduledTypes.join(", ")}`, "Only of a device it is known."))
    : Effect.succeed(type)

const list = verb(
  "schedules list",
  "List schedules, newest first",
  {
    ...pagingFlags,
    device: targetFlags.device,
    tag: several("tag", "Tag"),
    collectionId: several("collection", "Id of a collection"),
    deviceType: choices("type", scheduledTypes),
    enabled: Flag.Literals("enabled", ["true", "false"]).pipe(
      Flag.withDescription("true: those that issue commands; false: paused ones"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ device, ...flags }) {
    const deviceId = Option.isNone(device) ? [] : [(yield* findDevice(device.value)).id]
    yield* showList(flags, "schedules", scheduleColumns, (query) =>
      request("schedules", "list", { query: { ...query, ...given({ deviceId }) } })
    )
  })
)

const show = verb("schedules show", "Show a schedule and its week", { id }, ({ id }) => showSchedule(find(id)))

const create = verb(
  "schedules create",
  "Create a schedule; one of a device replaces its earlier one",
  {
    name: Flag.String("name").pipe(Flag.withDescription("Display name")),
    ...targetFlags,
    ...planFlags,
    paused: Flag.Boolean("paused").pipe(
      Flag.withDescription("Issue nothing until it is resumed"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ name, paused, timezone, type: givenType, ...flags }) {
    const { target, type } = yield* findTarget(flags)
    if (target === undefined) return yield* usage("Pass one of --device, --tag and --collection")
    const deviceType = yield* requireType(Option.getOrElse(givenType, () => type))
    const plan = yield* parsePlan(flags, deviceType)
    yield* showSchedule(
      request("schedules", "create", {
        payload: { name, target, deviceType, enabled: !paused, ...plan, ...given({ timezone }) }
      })
    )
  }),
  [
    "edp schedules create --name Nights --device garage --default idle --rule 'daily 22:00-06:00 charge'",
    "edp schedules create --name Warm --tag offices --type thermostat --rule 'weekdays 06:00-18:00 heat heatTarget=68' --default eco"
  ]
)

const update = verb(
  "schedules update",
  "Change a schedule",
  {
    id,
    name: text("name", "New name"),
    timezone: text("timezone", "New time zone"),
    defaultMode: modeFlag,
    rules: several("rule", "All rules anew, as for create")
  },
  Effect.fnUntraced(function* ({ defaultMode, id, name, rules, timezone }) {
    const changes = given({ name, timezone })
    if (Object.keys(changes).length === 0 && Option.isNone(defaultMode) && rules.length === 0) {
      return yield* usage("Nothing to change: pass --name, --timezone, --default or --rule")
    }
    const { defaultMode: before, deviceType } = yield* find(id)
    const plan = yield* parsePlan({ defaultMode, rules }, deviceType)
    // A merge patch keeps the fields that it does not name.
    const dropped = Object.keys(before ?? {}).map((field) => [field, null] as const)
    const merged = plan.defaultMode && { ...Object.fromEntries(dropped), ...plan.defaultMode }
    yield* showSchedule(
      request("schedules", "update", {
        params: { id },
        payload: {
          ...changes,
          ...(rules.length > 0 && { rules: plan.rules }),
          ...(plan.defaultMode !== undefined && { defaultMode: merged as never })
        }
      })
    )
  }),
  ["edp schedules update SCHEDULE_ID --rule 'weekdays 23:00-05:00 charge' --rule 'weekends 22:00-08:00 charge'"]
)

const setEnabled = (name: "pause" | "resume", description: string) =>
  verb(`schedules ${name}`, description, { id }, ({ id }) =>
    showSchedule(request("schedules", "update", { params: { id }, payload: { enabled: name === "resume" } }))
  )

const pause = setEnabled("pause", "Pause a schedule: it issues nothing until it is resumed")
const resume = setEnabled("resume", "Resume a schedule with its next transition")

const remove = verb(
  "schedules delete",
  "Delete a schedule; devices keep their modes",
  { id, yes },
  Effect.fnUntraced(function* ({ id, yes }) {
    const { name } = yield* find(id)
    yield* confirmDeletion({
      id,
      yes,
      question: `Delete the schedule "${name}"?`,
      call: request("schedules", "remove", { params: { id } }),
      done: `The schedule "${name}" is deleted.`
    })
  })
)

const transitionColumns: ReadonlyArray<Column<ScheduleTransition>> = [
  { title: "LOCAL TIME", value: ({ localTime }) => localTime, whole: true },
  { title: "AT", value: ({ at }) => at, whole: true, time: true },
  { title: "MODE", value: ({ mode }) => formatMode(mode) },
  { title: "RULE", value: ({ rule }) => (rule === null ? "default" : rule), whole: true }
]

/** The transitions below the week, unless all are asked for. */
const FEW = 10

const preview = verb(
  "schedules preview",
  "Show the week and the next transitions of a schedule, or of one that is not stored",
  {
    id: id.pipe(Argument.optional),
    ...targetFlags,
    ...planFlags,
    from: text("from", "Time of the first transition at the earliest, such as 2026-03-08T00:00:00Z; default: now"),
    all: Flag.Boolean("all").pipe(
      Flag.withDescription(`Show 100 transitions instead of ${FEW}`),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ all, from, id, timezone, type: givenType, ...flags }) {
    const output = yield* Output
    const body = Option.isSome(id)
      ? yield* Effect.map(find(id.value), ({ defaultMode, deviceType, rules, timezone }) => {
          return { deviceType, timezone, defaultMode, rules }
        })
      : yield* Effect.gen(function* () {
          const { target, type } = yield* findTarget(flags)
          const deviceType = yield* requireType(Option.getOrElse(givenType, () => type))
          return {
            deviceType,
            ...given({ timezone }),
            ...(target && { target }),
            ...(yield* parsePlan(flags, deviceType))
          }
        })
    const response = yield* request("schedules", "preview", { payload: { ...body, ...given({ from }) } })
    const shown = all ? response.transitions : response.transitions.slice(0, FEW)
    const plan = { timezone: response.timezone, defaultMode: body.defaultMode ?? null, rules: body.rules }
    const table =
      shown.length === 0 ? "No mode ever follows another." : renderTable(transitionColumns, shown, output.columns)
    yield* output.show(
      response,
      () => `${drawWeek(plan, output.columns)}\n\n${table}`,
      () => renderCsv(transitionColumns, response.transitions)
    )
  }),
  [
    "edp schedules preview SCHEDULE_ID",
    "edp schedules preview --type battery --timezone America/New_York --default idle --rule 'daily 02:30-05:00 charge' --from 2026-03-07T12:00:00Z"
  ]
)

export const schedules = Command.make("schedules").pipe(
  Command.withDescription("Operating modes of devices by local time"),
  Command.withSubcommands([list, show, create, update, pause, resume, remove, preview])
)
