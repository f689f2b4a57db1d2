import type { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  CollectionNotFound,
  DeviceNotFound,
  type Forbidden,
  InvalidState,
  ScheduleNotFound,
  ValidationError,
  invalid
} from "@edp/domain/errors/ApiErrors"
import { mergePatch } from "@edp/domain/errors/mergePatch"
import {
  type CreateDeviceSchedule,
  type CreateSchedule,
  type DeviceScheduleFilters,
  PREVIEW_LIMIT,
  type PreviewSchedule,
  type Schedule,
  type ScheduleFilters,
  type ScheduleMode,
  type SchedulePreview,
  type ScheduleTarget,
  type ScheduledType,
  type UpdateSchedule,
  modeCommand,
  scheduledTypes,
  type ScheduleRule
} from "@edp/domain/schedules/Schedule"
import type { PageOf } from "@edp/domain/shared/Page"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { isDeepStrictEqual } from "node:util"
import { Clock, Context, Effect, Layer, type Schema, Result } from "effect"
import { SqlClient } from "effect/sql"
import { readable } from "../devices/Devices.ts"
import { Ids } from "../platform/Ids.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { realChanges } from "../platform/sql/records.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { formatLocal } from "./localTime.ts"
import { type ScheduleRow, targetColumns, toSchedule } from "./scheduleRow.ts"
import { type Filters, SchedulesRepository } from "./SchedulesRepository.ts"
import { nextTransitions, type Timetable, transitionAfter } from "./transitions.ts"
import { type LimitedDevice, decodeCommandInput, restrictions } from "@edp/domain/commands/commandInputs"
import { DAY_MINUTES, dayNames, findOverlaps, formatTime } from "@edp/domain/schedules/week"

export interface Modes {
  readonly defaultMode: ScheduleMode | null
  readonly rules: ReadonlyArray<ScheduleRule>
}

type Details = Record<string, string>

/** The messages of a command's input, by the path of the mode. */
const underPath = (path: string, details: Readonly<Details>): Details =>
  Object.fromEntries(Object.entries(details).map(([name, message]) => [name.replace(/^input/, path), message]))

const overlaps = (rules: ReadonlyArray<ScheduleRule>): Details =>
  Object.fromEntries(
    findOverlaps(rules).map(({ at, other, rule }) => [
      `rules.${rule}`,
      `Overlaps rules.${other}: both hold on ${dayNames[Math.floor(at / DAY_MINUTES)]} at ${formatTime(at)}`
    ])
  )

/** Days in order, each once. */
const normalized = (rule: ScheduleRule): ScheduleRule => ({
  ...rule,
  daysOfWeek: [...new Set(rule.daysOfWeek)].toSorted((one, other) => one - other)
})

/**
 * Checks modes as inputs of the type's command and, if the device is known, against its limits, and that no two rules overlap.
 * Fails with all messages at once, such as `rules.0.mode.heatTarget`.
 */
const checkedModes = (
  type: ScheduledType,
  { defaultMode, rules }: Modes,
  device?: LimitedDevice
): Effect.Effect<Modes, ValidationError> => {
  const command = modeCommand(type)
  // Field names come from the caller, so the record has no prototype.
  const details: Details = Object.assign(Object.create(null), overlaps(rules))
  const check = (path: string, mode: ScheduleMode): ScheduleMode => {
    const decoded = Effect.runSync(Effect.result(decodeCommandInput(command, mode)))
    if (Result.isFailure(decoded)) Object.assign(details, underPath(path, decoded.failure))
    else if (device !== undefined)
      Object.assign(details, underPath(path, restrictions(command, decoded.success, device)))
    return Result.isSuccess(decoded) ? decoded.success : mode
  }
  const checked: Modes = {
    defaultMode: defaultMode === null ? null : check("defaultMode", defaultMode),
    rules: rules.map((rule, index) => ({ ...normalized(rule), mode: check(`rules.${index}.mode`, rule.mode) }))
  }
  return Object.keys(details).length === 0 ? Effect.succeed(checked) : Effect.fail(invalid(details))
}

type Caller = CurrentKey["Service"]
type Paging = { readonly page?: number; readonly perPage?: number }
type Query = Schema.Struct.Type<typeof ScheduleFilters>
type DeviceQuery = Schema.Struct.Type<typeof DeviceScheduleFilters>
type TargetProblem = ValidationError | InvalidState | DeviceNotFound | CollectionNotFound

/** The years for which a preview is computed. */
const EARLIEST = Date.UTC(1970, 0)
const LATEST = Date.UTC(2200, 0)

const isScheduled = (type: string): type is ScheduledType => (scheduledTypes as ReadonlyArray<string>).includes(type)

const toDate = (at: number | undefined) => (at === undefined ? null : new Date(at))

const requireFixed = (before: ScheduleRow, { deviceType, target }: UpdateSchedule) => {
  const details = {
    ...(target !== undefined &&
      !isDeepStrictEqual(toSchedule(before).target, { ...target }) && {
        target: "Is fixed: must be the schedule's target"
      }),
    ...(deviceType !== undefined &&
      deviceType !== before.deviceType && { deviceType: `Is fixed: must be ${before.deviceType}` })
  }
  return Object.keys(details).length === 0 ? Effect.void : Effect.fail(invalid(details))
}

/** Operating modes of devices by local time. */
export class Schedules extends Context.Service<
  Schedules,
  {
    readonly list: (caller: Caller, query: Query) => Effect.Effect<PageOf<Schedule>, DatabaseUnavailable>
    readonly get: (caller: Caller, id: string) => Effect.Effect<Schedule, ScheduleNotFound | DatabaseUnavailable>
    readonly create: (
      caller: Caller,
      input: CreateSchedule
    ) => Effect.Effect<Schedule, TargetProblem | DatabaseUnavailable>
    readonly update: (
      caller: Caller,
      id: string,
      input: UpdateSchedule
    ) => Effect.Effect<Schedule, ValidationError | ScheduleNotFound | DatabaseUnavailable>
    readonly remove: (caller: Caller, id: string) => Effect.Effect<void, ScheduleNotFound | DatabaseUnavailable>
    readonly preview: (
      caller: Caller,
      input: PreviewSchedule
    ) => Effect.Effect<SchedulePreview, TargetProblem | DatabaseUnavailable>
    readonly ofDevice: (
      caller: Caller,
      deviceId: string,
      query: DeviceQuery
    ) => Effect.Effect<PageOf<Schedule>, DeviceNotFound | Forbidden | DatabaseUnavailable>
    readonly createOfDevice: (
      caller: Caller,
      deviceId: string,
      input: CreateDeviceSchedule
    ) => Effect.Effect<Schedule, ValidationError | InvalidState | DeviceNotFound | DatabaseUnavailable>
  }
>()("@edp/server/Schedules") {
  static readonly layer = Layer.effect(
    Schedules,
    Effect.gen(function* () {
      const repository = yield* SchedulesRepository
      const ids = yield* Ids
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      const one = <E>(rows: Effect.Effect<ReadonlyArray<ScheduleRow>, E>) =>
        Effect.flatMap(rows, ([row]) =>
          row === undefined ? Effect.fail(new ScheduleNotFound({})) : Effect.succeed(row)
        )

      const list = (workspaceId: string, filters: Filters, paging: Paging) =>
        paginate(
          paging,
          10,
          (limit, offset) =>
            Effect.map(repository.list(workspaceId, filters, limit, offset), (rows) => rows.map(toSchedule)),
          repository.count(workspaceId, filters)
        )

      const findDevice = Effect.fnUntraced(function* (caller: Caller, id: string) {
        const [device] = yield* repository.device(id)
        return device?.workspaceId === caller.workspaceId ? device : yield* new DeviceNotFound({})
      })

      /** A device and its type, which the given one must be. */
      const deviceScope = Effect.fnUntraced(function* (caller: Caller, id: string, given: ScheduledType | undefined) {
        const device = yield* findDevice(caller, id)
        const { commands, timezone, type } = device
        if (given !== undefined && given !== type)
          return yield* invalid({ deviceType: `Must be ${type}, the device's` })
        if (!isScheduled(type) || !commands.includes(modeCommand(type))) {
          return yield* new InvalidState({
            message: "The device has no operating mode that can be set: see its availableCommands"
          })
        }
        return { deviceType: type, device, timezone }
      })

      const scope = Effect.fnUntraced(function* (
        caller: Caller,
        target: ScheduleTarget | undefined,
        given: ScheduledType | undefined
      ) {
        if (target !== undefined && "deviceId" in target) return yield* deviceScope(caller, target.deviceId, given)
        if (given === undefined) return yield* invalid({ deviceType: "Is required" })
        if (target !== undefined && "collectionId" in target) {
          const type = yield* repository.collectionType(caller.workspaceId, target.collectionId)
          if (type === undefined) return yield* new CollectionNotFound({})
          if (type !== "DEVICE") return yield* invalid({ "target.collectionId": "Must be a collection of devices" })
        }
        return { deviceType: given, device: undefined, timezone: null }
      })

      /** The valid timetable of a request, with its defaults. */
      const resolve = Effect.fnUntraced(function* (
        caller: Caller,
        input: Omit<CreateSchedule, "name" | "target"> & { readonly target?: CreateSchedule["target"] }
      ) {
        const { defaultMode = null, deviceType: given, rules } = input
        // An invalid body is reported before a target that does not exist, if the body alone shows that.
        if (given !== undefined) yield* checkedModes(given, { defaultMode, rules })
        const { device, deviceType, timezone } = yield* scope(caller, input.target, given)
        const modes = yield* checkedModes(deviceType, { defaultMode, rules }, device)
        return {
          ...modes,
          deviceType,
          timezone: input.timezone ?? timezone ?? (yield* repository.workspaceTimezone(caller.workspaceId))
        }
      })

      /** A new one replaces the enabled schedule of its device. */
      const create = Effect.fnUntraced(function* (caller: Caller, input: CreateSchedule) {
        const resolved = yield* resolve(caller, input)
        const { enabled = true, name, target } = input
        return yield* Effect.gen(function* () {
          const milliseconds = yield* Clock.currentTimeMillis
          const now = new Date(milliseconds)
          const row: ScheduleRow = {
            id: yield* ids.next,
            workspaceId: caller.workspaceId,
            name,
            ...targetColumns(target),
            ...resolved,
            enabled,
            nextTransitionAt: enabled ? toDate(transitionAfter(resolved, milliseconds)) : null,
            createdAt: now,
            updatedAt: now
          }
          if (row.deviceId !== null) {
            const [held] = yield* repository.holdDevice(caller.workspaceId, row.deviceId)
            if (held === undefined) return yield* new DeviceNotFound({})
            if (enabled) yield* repository.replace(row.deviceId, now)
          }
          yield* repository.insert(row)
          return toSchedule(row)
        }).pipe(transaction)
      })

      /** The next transition after a change. One that is due and not issued yet stays due. */
      const nextAfter = (before: ScheduleRow, after: Timetable<ScheduleMode>, enabled: boolean, now: number) => {
        if (!enabled) return null
        const { nextTransitionAt: due } = before
        return due !== null && due.getTime() <= now ? due : toDate(transitionAfter(after, now))
      }

      /** Modes that are not given stay valid, even if the device's limits have changed. */
      const checkedChanges = Effect.fnUntraced(function* (
        { deviceId, deviceType }: ScheduleRow,
        present: Modes,
        given: Partial<Modes>
      ) {
        if (Object.keys(given).length === 0) return given
        const [device] = deviceId === null ? [] : yield* repository.device(deviceId)
        return yield* checkedModes(deviceType, { ...present, ...given }, device)
      })

      const update = Effect.fnUntraced(function* (caller: Caller, id: string, input: UpdateSchedule) {
        const read = yield* one(repository.get(caller.workspaceId, id))
        // All writers lock the device before its schedules.
        if (read.deviceId !== null) yield* repository.holdDevice(caller.workspaceId, read.deviceId)
        const before = yield* one(repository.lock(caller.workspaceId, id))
        yield* requireFixed(before, input)
        const defaultMode =
          input.defaultMode === undefined || input.defaultMode === null
            ? input.defaultMode
            : (mergePatch(before.defaultMode ?? {}, input.defaultMode) as ScheduleMode)
        const present = { defaultMode: before.defaultMode, rules: before.rules }
        const given = {
          ...(defaultMode !== undefined && { defaultMode }),
          ...(input.rules !== undefined && { rules: input.rules })
        }
        const modes = yield* checkedChanges(before, present, given)
        const { enabled, name, timezone } = input
        const changes = realChanges(before, {
          ...(name !== undefined && { name }),
          ...(timezone !== undefined && { timezone }),
          ...modes,
          ...(enabled !== undefined && { enabled })
        })
        if (changes === undefined) return toSchedule(before)
        const after = { ...before, ...changes }
        const now = yield* Clock.currentTimeMillis
        const at = new Date(now)
        if (before.deviceId !== null && changes.enabled === true) yield* repository.replace(before.deviceId, at)
        const nextTransitionAt = nextAfter(before, after, after.enabled, now)
        return toSchedule(yield* one(repository.update(id, { ...changes, nextTransitionAt }, at)))
      })

      return {
        list: Effect.fn("Schedules.list")((caller, query) => list(caller.workspaceId, query, query)),
        get: Effect.fn("Schedules.get")((caller, id) =>
          Effect.map(one(repository.get(caller.workspaceId, id)), toSchedule)
        ),
        create: Effect.fn("Schedules.create")(create),
        update: Effect.fn("Schedules.update")((caller, id, input) => transaction(update(caller, id, input))),
        remove: Effect.fn("Schedules.remove")((caller, id) =>
          Effect.gen(function* () {
            const [removed] = yield* repository.remove(caller.workspaceId, id)
            if (removed === undefined) return yield* new ScheduleNotFound({})
          }).pipe(transaction)
        ),
        preview: Effect.fn("Schedules.preview")(function* (caller, input) {
          const from = input.from === undefined ? yield* Clock.currentTimeMillis : parseTimestamp(input.from)!
          if (from < EARLIEST || from >= LATEST) return yield* invalid({ from: "Must be from 1970 until 2199" })
          const timetable = yield* resolve(caller, input)
          return {
            timezone: timetable.timezone,
            transitions: nextTransitions<ScheduleMode>(timetable, from, PREVIEW_LIMIT).map(
              ({ from: at, mode, rule }) => ({
                at: new Date(at).toISOString(),
                localTime: formatLocal(at, timetable.timezone),
                mode,
                rule
              })
            )
          }
        }),
        ofDevice: Effect.fn("Schedules.ofDevice")(function* (caller, deviceId, query) {
          const [device] = yield* repository.device(deviceId)
          yield* readable(caller, deviceId, device)
          return yield* list(caller.workspaceId, { ...query, deviceId: [deviceId] }, query)
        }),
        createOfDevice: Effect.fn("Schedules.createOfDevice")((caller, deviceId, input) =>
          create(caller, { ...input, target: { deviceId } }).pipe(
            Effect.catchTag("COLLECTION_NOT_FOUND", (error) => Effect.die(error))
          )
        )
      }
    })
  )
}
