import type { DispatchedType } from "@edp/domain/dispatches/Dispatch"
import { modeCommand } from "@edp/domain/schedules/Schedule"
import { Clock, Context, Effect, Layer } from "effect"
import { CommandIssuer, type NewCommand } from "../../commands/issuing/CommandIssuer.ts"
import { CommandReverts } from "../../commands/forced-modes/CommandReverts.ts"
import type { CommandInput } from "../../commands/commandRow.ts"
import { CommandTargets } from "../../commands/issuing/CommandTargets.ts"
import { SiteLimits } from "../../commands/site-limits/SiteLimits.ts"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { DispatchDevicesRepository, type StoredStep } from "./DispatchDevicesRepository.ts"
import { type LiveDevice, planDevice, type Rest, type Slot, SOON, type Step, settingsInput } from "./devicePlan.ts"
import { dispatchLimits } from "../dispatchLimits.ts"
import { DispatchSitesRepository } from "../DispatchesRepository.ts"
import { isTargetPower, modeInput } from "../dispatchInputs.ts"

/** A thermostat's first command is not older, in milliseconds: dispatches last 7 days at most. */
const LONGEST_AGO = 8 * 86_400_000

type Planned = { readonly device: LiveDevice; readonly step: Step }
type PlannedStep<K extends Step["kind"]> = { readonly device: LiveDevice; readonly step: Extract<Step, { kind: K }> }

const isKind =
  <K extends Step["kind"]>(kind: K) =>
  (planned: Planned): planned is PlannedStep<K> =>
    planned.step.kind === kind

const stored = (device: LiveDevice, more: Partial<StoredStep>): StoredStep => ({
  dispatchId: device.dispatchId,
  deviceId: device.deviceId,
  phase: device.phase,
  intervalIndex: device.intervalIndex,
  skippedIndex: device.skippedIndex,
  commandId: device.commandId,
  code: device.code,
  outcome: device.outcome,
  before: device.before,
  attempts: device.attempts,
  dueAt: device.dueAt,
  ...more
})

const toDate = (at: number | null) => (at === null ? null : new Date(at))

const pause = (attempts: number) => Math.min(1000 * 2 ** attempts, dispatchLimits.longestDevicePauseSeconds * 1000)

/** The device has nothing of the dispatch any more. */
const rested = (device: LiveDevice, rest: Rest, more: Partial<StoredStep> = {}) =>
  stored(device, {
    phase: rest.phase,
    code: rest.code,
    dueAt: toDate(rest.dueAt),
    commandId: null,
    before: null,
    attempts: 0,
    // A first command that was taken back before its time was none.
    ...(device.isAhead && { intervalIndex: null }),
    ...more
  })

/** Seconds until the slot's end; a thermostat is restored by a command. */
const revertSeconds = (type: DispatchedType, { isFollowed, to }: Slot, at: number) =>
  type === "thermostat"
    ? null
    : Math.max(60, Math.min(86_400, Math.floor((to - at) / 1000) + (isFollowed ? dispatchLimits.overlapSeconds : 0)))

type DeviceCommand = Pick<
  NewCommand,
  "workspaceId" | "deviceId" | "type" | "input" | "scheduledFor" | "revertAfter" | "expiresAt"
> & { readonly dispatchId: string }

/** A device in a dispatch. */
const placeKey = (dispatchId: string, deviceId: string) => `${dispatchId} ${deviceId}`

/** Devices that occur several times, one time after the other: commands that are issued at once have different devices. */
const rounds = <A extends { readonly deviceId: string }>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> => {
  const counts = new Map<string, number>()
  const all: Array<Array<A>> = []
  for (const item of items) {
    const round = counts.get(item.deviceId) ?? 0
    counts.set(item.deviceId, round + 1)
    ;(all[round] ??= []).push(item)
  }
  return all
}

export interface ReconciledDevices {
  readonly issued: number
  readonly skipped: number
}

/** Gives devices the modes of their dispatches, and their settings back. */
export class DispatchDevices extends Context.Service<
  DispatchDevices,
  {
    /**
     * For a transaction: brings devices to what their dispatches ask of them now. The commands and the notes about them are one transaction.
     * The caller wakes the issuer afterwards.
     */
    readonly reconcile: (deviceIds: ReadonlyArray<string>) => Effect.Effect<ReconciledDevices, DatabaseUnavailable>
  }
>()("@edp/server/DispatchDevices") {
  static readonly layer = Layer.effect(
    DispatchDevices,
    Effect.gen(function* () {
      const repository = yield* DispatchDevicesRepository
      const sites = yield* DispatchSitesRepository
      const targets = yield* CommandTargets
      const limits = yield* SiteLimits
      const reverts = yield* CommandReverts
      const issuer = yield* CommandIssuer
      const { commandTimeoutSeconds } = yield* ServerConfig

      /** The settings that thermostats go back to: those of the first dispatch that holds them, else the present ones. */
      const settingsBefore = Effect.fnUntraced(function* (
        issues: ReadonlyArray<PlannedStep<"issue">>,
        all: ReadonlyArray<LiveDevice>
      ) {
        const known = new Map(all.flatMap(({ before, deviceId }) => (before === null ? [] : [[deviceId, before]])))
        const unknown = issues.filter(({ device }) => device.type === "thermostat" && !known.has(device.deviceId))
        if (unknown.length === 0) return known
        for (const { deviceId, state } of yield* repository.thermostats(unknown.map(({ device }) => device.deviceId))) {
          const input = settingsInput(state)
          if (input !== undefined) known.set(deviceId, input)
        }
        return known
      })

      /** Returns the ids of the commands by dispatch and device. */
      const issue = (commands: ReadonlyArray<DeviceCommand>) =>
        Effect.forEach(rounds(commands), (some) =>
          issuer.issue(
            some.map(({ deviceId, dispatchId, expiresAt, input, revertAfter, scheduledFor, type, workspaceId }) => ({
              workspaceId,
              deviceId,
              type,
              input,
              source: "dispatch",
              sourceId: dispatchId,
              batchId: null,
              scheduledFor,
              notBefore: null,
              expiresAt,
              revertAfter
            }))
          )
        ).pipe(
          Effect.map((issued) => new Map(issued.flat().map((one) => [placeKey(one.sourceId!, one.deviceId), one.id])))
        )

      /** The commands of slots; the devices that take none are left out. */
      const toCommands = Effect.fnUntraced(function* (issues: ReadonlyArray<PlannedStep<"issue">>, now: number) {
        const asked = issues.filter(({ step }) => isTargetPower(step.slot.action)).map(({ device }) => device.deviceId)
        const powered = asked.length === 0 ? [] : yield* repository.powered(asked)
        const known = new Map(powered.map((device) => [device.id, device]))
        return issues.flatMap(({ device, step }) => {
          const { at, slot } = step
          const mode = modeInput(device.type, slot.action, known.get(device.deviceId))
          if (mode === undefined) return []
          return {
            workspaceId: device.workspaceId,
            deviceId: device.deviceId,
            dispatchId: device.dispatchId,
            type: modeCommand(device.type),
            input: mode.input,
            scheduledFor: at > now ? new Date(at) : null,
            expiresAt: new Date(Math.min(at + commandTimeoutSeconds * 1000, slot.to)),
            revertAfter: revertSeconds(device.type, slot, at),
            device,
            note: mode.note
          }
        })
      })

      const skip = (device: LiveDevice, step: PlannedStep<"issue">["step"], code: string) =>
        stored(device, {
          phase: device.commandId === null ? "skipped" : "reverting",
          skippedIndex: step.slot.index,
          code,
          outcome: "failed",
          // Its mode of an earlier interval is taken back at the next look.
          dueAt: toDate(device.commandId === null ? step.dueAt : step.at)
        })

      /** Issues the commands of slots to the devices that can take them. */
      const issueSlots = Effect.fnUntraced(function* (
        issues: ReadonlyArray<PlannedStep<"issue">>,
        all: ReadonlyArray<LiveDevice>,
        now: number
      ) {
        if (issues.length === 0) return []
        const before = yield* settingsBefore(issues, all)
        const isKnown = ({ device }: PlannedStep<"issue">) =>
          device.type !== "thermostat" || before.has(device.deviceId)
        const { able } = yield* targets.checkEach(yield* toCommands(issues.filter(isKnown), now))
        const { fit } = yield* limits.fit(able)
        const issued = yield* issue(fit)
        const ableDevices = new Set(able.map(({ device }) => device))
        const fitting = new Map(fit.map(({ device, note }) => [device, note]))
        return issues.map((planned) => {
          const { device, step } = planned
          if (!isKnown(planned)) return skip(device, step, "settings_unknown")
          if (!ableDevices.has(device)) return skip(device, step, "not_able")
          const code = fitting.get(device)
          if (code === undefined) return skip(device, step, "site_limit")
          const commandId = issued.get(placeKey(device.dispatchId, device.deviceId))
          // It was deleted meanwhile.
          if (commandId === undefined) return skip(device, step, "not_able")
          return stored(device, {
            phase: "commanded",
            intervalIndex: step.slot.index,
            skippedIndex: null,
            commandId,
            code,
            outcome: null,
            before: device.type === "thermostat" ? before.get(device.deviceId)! : null,
            attempts: 0,
            dueAt: toDate(step.dueAt)
          })
        })
      })

      /** Restores thermostats that nobody else has commanded since. */
      const restore = Effect.fnUntraced(function* (
        planned: ReadonlyArray<{ readonly device: LiveDevice; readonly rest: Rest }>,
        before: ReadonlyMap<string, CommandInput>,
        now: number
      ) {
        if (planned.length === 0) return []
        const left = yield* repository.left(
          planned.map(({ device }) => ({ deviceId: device.deviceId, commandId: device.commandId! })),
          new Date(now - LONGEST_AGO)
        )
        const restored = planned.filter(
          ({ device }) =>
            before.has(device.deviceId) &&
            !left.has(device.deviceId) &&
            device.attempts < dispatchLimits.restoreAttempts
        )
        const { able } = yield* targets.checkEach(
          restored.map(({ device }) => ({
            workspaceId: device.workspaceId,
            deviceId: device.deviceId,
            dispatchId: device.dispatchId,
            type: modeCommand(device.type),
            input: before.get(device.deviceId)!,
            scheduledFor: null,
            revertAfter: null,
            expiresAt: new Date(now + dispatchLimits.restoreSeconds * 1000)
          }))
        )
        const issued = yield* issue(able)
        return planned.map(({ device, rest }) => {
          const commandId = issued.get(placeKey(device.dispatchId, device.deviceId))
          if (commandId === undefined) {
            const isGivenUp = device.attempts >= dispatchLimits.restoreAttempts
            return rested(device, isGivenUp ? { ...rest, code: "not_restored" } : rest)
          }
          const attempts = device.attempts + 1
          return stored(device, { phase: "restoring", commandId, attempts, dueAt: new Date(now + SOON) })
        })
      })

      /** Reclaims what was issued, and restores thermostats unless another dispatch takes them over. */
      const reclaim = Effect.fnUntraced(function* (planned: ReadonlyArray<PlannedStep<"reclaim">>) {
        const open = new Set<string>()
        for (const [dispatchId, some] of Map.groupBy(planned, ({ device }) => device.dispatchId)) {
          const deviceIds = some.map(({ device }) => device.deviceId)
          for (const deviceId of yield* reverts.revert(deviceIds, dispatchId)) open.add(placeKey(dispatchId, deviceId))
        }
        return Map.groupBy(planned, ({ device, step }) => {
          if (open.has(placeKey(device.dispatchId, device.deviceId))) return "open"
          return device.type === "thermostat" && !step.isReplaced ? "restorable" : "taken"
        })
      })

      /** A restoring that has ended well, or by the hand of a user, or is to be tried again. */
      const judgeRestoring = ({ device, step }: PlannedStep<"restoring">, now: number) => {
        const { commandReason, commandStatus } = device
        if (commandStatus === "completed" || commandStatus === null) return "done"
        if (commandStatus !== "failed") {
          return stored(device, { dueAt: new Date(now + Math.max(SOON, pause(device.attempts))) })
        }
        if (commandReason === "overridden" || commandReason === "cancelled") return "done"
        return { device, rest: step.rest }
      }

      const reconcile = Effect.fn("DispatchDevices.reconcile")(function* (deviceIds: ReadonlyArray<string>) {
        if (deviceIds.length === 0) return { issued: 0, skipped: 0 }
        yield* repository.hold(deviceIds)
        const now = yield* Clock.currentTimeMillis
        const live = yield* repository.live(deviceIds, new Date(now))
        const planned: ReadonlyArray<Planned> = [...Map.groupBy(live, ({ deviceId }) => deviceId).values()].flatMap(
          (devices) => planDevice(devices, now).map((step, index) => ({ device: devices[index]!, step }))
        )
        const before = new Map(live.flatMap(({ before, deviceId }) => (before === null ? [] : [[deviceId, before]])))
        const stays = planned.filter(isKind("stay"))
        const issues = planned.filter(isKind("issue"))
        const taken = yield* reclaim(planned.filter(isKind("reclaim")))
        const restoring = planned.filter(isKind("restoring")).map((one) => [one, judgeRestoring(one, now)] as const)
        const again = restoring.flatMap(([, judged]) => (judged !== "done" && "rest" in judged ? [judged] : []))
        const restorable = (taken.get("restorable") ?? []).map(({ device, step }) => ({ device, rest: step.rest }))
        const slots = yield* issueSlots(issues, live, now)
        const steps = [
          ...stays.map(({ device, step }) =>
            stored(device, { phase: step.phase, code: step.code, dueAt: toDate(step.dueAt) })
          ),
          ...slots,
          ...(taken.get("open") ?? []).map(({ device }) =>
            stored(device, {
              phase: "reverting",
              attempts: device.attempts + 1,
              dueAt: new Date(now + pause(device.attempts))
            })
          ),
          ...(taken.get("taken") ?? []).map(({ device, step }) => rested(device, step.rest)),
          ...restoring.flatMap(([{ device, step }, judged]) => {
            if (judged === "done") return [rested(device, step.rest)]
            return "rest" in judged ? [] : [judged]
          }),
          ...(yield* restore([...restorable, ...again], before, now))
        ]
        yield* repository.save(expedited(steps, slots, now))
        yield* sites.settle(
          planned.map(({ device: { dispatchId, siteId } }) => ({ dispatchId, siteId })),
          new Date(now)
        )
        const issued = slots.filter(({ phase }) => phase === "commanded").length
        return { issued, skipped: slots.length - issued }
      })

      return { reconcile }
    })
  )
}

/** A device that one dispatch can't command is looked at again for the others. */
const expedited = (steps: ReadonlyArray<StoredStep>, slots: ReadonlyArray<StoredStep>, now: number) => {
  const skipped = new Set(slots.filter(({ phase }) => phase !== "commanded").map(({ deviceId }) => deviceId))
  return steps.map((step) =>
    step.phase === "outranked" && skipped.has(step.deviceId) ? { ...step, dueAt: new Date(now) } : step
  )
}
