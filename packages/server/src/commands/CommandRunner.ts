import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer, Metric, Queue } from "effect"
import { Accounts } from "../accounts/Accounts.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { LeaseHolder } from "../platform/jobs/LeaseHolder.ts"
import { type JobRunner, type Leased, makeJobRunner } from "../platform/jobs/JobRunner.ts"
import { makeIsolation } from "../platform/jobs/isolation.ts"
import { Instances } from "../platform/observability/Instances.ts"
import type { CommandDevice } from "./commandRow.ts"
import { readCommandDevices } from "./issuing/CommandTargets.ts"
import { CommandHandover, type Elsewhere } from "./handover/CommandHandover.ts"
import { type HeldDevice, HeldDevices } from "./handover/HeldDevices.ts"
import { CommandArrivals } from "./issuing/CommandIssuer.ts"
import { CommandsRepository, type DueCommand } from "./CommandsRepository.ts"
import { commandLimits } from "./commandLimits.ts"
import { type DeviceClaim, DeviceWorkRepository } from "./DeviceWorkRepository.ts"
import { ForcedModes, isEnding } from "./forced-modes/ForcedModes.ts"
import { type ForcedModeRow, ForcedModesRepository } from "./ForcedModesRepository.ts"

const lateness = Metric.histogram("edp_command_late_seconds", {
  description: "Seconds between the time at which a device's command was due and the time it was sent",
  boundaries: [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800]
})

/**
 * Sends commands that are due, those of a device one after another, and ends forced modes. An instance in the role `api` works
 * only on devices that the workers have left to it, because it holds their connections.
 */
export class CommandRunner extends Context.Service<CommandRunner, JobRunner>()("@edp/server/commands/CommandRunner") {
  static readonly layer = Layer.effect(
    CommandRunner,
    Effect.gen(function* () {
      const work = yield* DeviceWorkRepository
      const commands = yield* CommandsRepository
      const readDevices = yield* readCommandDevices
      const modes = yield* ForcedModesRepository
      const forced = yield* ForcedModes
      const handover = yield* CommandHandover
      const arrivals = yield* CommandArrivals
      const accounts = yield* Accounts
      const heldDevices = yield* HeldDevices
      const limited = new Set(
        (yield* accounts.manufacturers)
          .filter(({ quotas }) => quotas.some(({ scope }) => scope === "manufacturer"))
          .map(({ slug }) => slug)
      )
      const instance = (yield* Instances).own.id
      const isWorker = (yield* ServerConfig).role !== "api"
      const isolation = yield* makeIsolation("commands of a device")
      const holder = yield* LeaseHolder
      const active = new Map<string, number>()
      const paused = new Map<string, number>()

      const countBusy = () => [...active.values()].reduce((sum, count) => sum + count, 0)
      /** Manufacturers without room for more devices: their next claim follows the end of work, not a time. */
      const full = () =>
        [...active].flatMap(([slug, count]) => (count >= commandLimits.devicesPerManufacturer ? [slug] : []))

      const claim = Effect.gen(function* () {
        const busy = countBusy()
        if (busy >= commandLimits.devices) return []
        const now = yield* Clock.currentTimeMillis
        for (const [slug, until] of paused) if (until <= now) paused.delete(slug)
        const limits = {
          each: commandLimits.devicesPerManufacturer,
          active,
          paused: [...paused.keys()],
          most: commandLimits.devices - busy
        }
        const claims = isWorker
          ? yield* work.claim(randomUUID(), holder.id, instance, limits, new Date(now))
          : yield* work.claimLeft(randomUUID(), holder.id, instance, limits.most, new Date(now))
        for (const { lateMs, manufacturer } of claims) {
          active.set(manufacturer, (active.get(manufacturer) ?? 0) + 1)
          lateness.updateUnsafe(Math.max(0, lateMs) / 1000, Context.empty())
        }
        return claims
      })

      const perform = Effect.fn("CommandRunner.device")(function* (
        leased: Leased<DeviceClaim>,
        device: CommandDevice,
        due: ReadonlyArray<DueCommand>,
        mode: ForcedModeRow | undefined
      ) {
        const { claim, deviceId, manufacturer } = leased.job
        const { isHeld } = leased
        const mayBegin = Effect.map(isHeld, (holds) => holds && !runner.isStopping())
        const held: HeldDevice = { claim, deviceId, isHeld, mayBegin }
        let elsewhere: Elsewhere | null = null
        let isCurrent = true
        if (mode !== undefined && isEnding(mode, yield* Clock.currentTimeMillis) && (yield* isHeld)) {
          const ended = yield* forced.end(mode, device, held, due.length === 0)
          if (ended.isReleased) return
          elsewhere = ended.elsewhere
          isCurrent = false
        }
        for (const [index, command] of due.entries()) {
          if (elsewhere !== null || !(yield* held.mayBegin)) break
          const known = isCurrent ? { mode } : undefined
          const effect = yield* handover.send(command, device, held, { isLast: index === due.length - 1, known })
          isCurrent = false
          if (effect.pausedUntil !== null && limited.has(manufacturer)) {
            const now = yield* Clock.currentTimeMillis
            paused.set(manufacturer, Math.min(effect.pausedUntil, now + commandLimits.quotaPauseMs))
          }
          if (effect.isReleased) return
          elsewhere = effect.elsewhere
        }
        const released = { avoided: elsewhere !== null, leftTo: elsewhere?.holder ?? null }
        yield* heldDevices.record(held, { released })
      })

      const runner: JobRunner = yield* makeJobRunner<DeviceClaim>({
        name: "CommandRunner",
        lease: `${commandLimits.leaseSeconds} seconds`,
        poll: commandLimits.pauseMs,
        topic: "commands",
        // Devices that are left to this instance are announced, and left to it again where it did not notice.
        nextDue: Effect.suspend(() =>
          isWorker && countBusy() < commandLimits.devices ? work.nextDue(full()) : Effect.succeed(Infinity)
        ),
        patience: `${commandLimits.patienceSeconds} seconds`,
        item: ({ deviceId }) => deviceId,
        claim,
        prepare: Effect.fnUntraced(function* (leased) {
          const ids = leased.map(({ job }) => job.deviceId)
          const now = new Date(yield* Clock.currentTimeMillis)
          const known = new Map((yield* readDevices(ids)).map((device) => [device.id, device]))
          const due = Map.groupBy(yield* commands.due(ids, now), ({ deviceId }) => deviceId)
          const forcedModes = new Map((yield* modes.byDevices(ids)).map((mode) => [mode.deviceId, mode]))
          return (one) => {
            const { deviceId } = one.job
            const device = known.get(deviceId)
            // A deleted device has taken its work along.
            return device === undefined
              ? Effect.void
              : perform(one, device, due.get(deviceId) ?? [], forcedModes.get(deviceId))
          }
        }),
        renew: (jobs) => work.renew(jobs.map(({ claim, deviceId }) => ({ claim, deviceId }))),
        putOff: work.putOff,
        endLeases: work.endLeases,
        isolation,
        free: ({ manufacturer }) => active.set(manufacturer, (active.get(manufacturer) ?? 1) - 1)
      })

      return {
        ...runner,
        work: Effect.andThen(
          runner.work,
          Queue.take(arrivals).pipe(Effect.andThen(runner.wake), Effect.forever, Effect.forkScoped, Effect.asVoid)
        )
      }
    })
  )
}
