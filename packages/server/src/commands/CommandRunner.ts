import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Exit, Layer, Metric, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { Accounts } from "../accounts/Accounts.ts"
import { batched } from "../platform/batching/batched.ts"
import { type JobRunner, type Leased, makeJobRunner } from "../platform/jobs/JobRunner.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import type { CommandDevice } from "./commandDevice.ts"
import { CommandDevicesRepository } from "./CommandDevicesRepository.ts"
import { CommandHandover } from "./CommandHandover.ts"
import { CommandArrivals } from "./CommandIssuer.ts"
import { CommandsRepository, type DueCommand } from "./CommandsRepository.ts"
import { type DeviceClaim, DeviceWorkRepository, LEASE_SECONDS, type ReleasedDevice } from "./DeviceWorkRepository.ts"
import { ForcedModes, isEnding } from "./ForcedModes.ts"
import { type ForcedModeRow, ForcedModesRepository } from "./ForcedModesRepository.ts"

/** Devices that are worked on at once: in all, and of one manufacturer. */
const MOST = 256
const MOST_EACH = 64

/** The pause of a manufacturer whose quota is used up, in milliseconds: then a few commands find out whether it still is. */
const QUOTA_PAUSE = 1000

const lateness = Metric.histogram("edp_command_late_seconds", {
  description: "Seconds between the time at which a device's command was due and its handing over",
  boundaries: [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800]
})

/** Hands over commands that are due, those of a device one after another, and ends forced modes. */
export class CommandRunner extends Context.Service<CommandRunner, JobRunner>()("@edp/server/commands/CommandRunner") {
  static readonly layer = Layer.effect(
    CommandRunner,
    Effect.gen(function* () {
      const work = yield* DeviceWorkRepository
      const commands = yield* CommandsRepository
      const devices = yield* CommandDevicesRepository
      const modes = yield* ForcedModesRepository
      const forced = yield* ForcedModes
      const handover = yield* CommandHandover
      const arrivals = yield* CommandArrivals
      const accounts = yield* Accounts
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const limited = new Set(
        (yield* accounts.manufacturers)
          .filter(({ quotas }) => quotas.some(({ scope }) => scope === "manufacturer"))
          .map(({ slug }) => slug)
      )
      const instance = randomUUID()
      const active = new Map<string, number>()
      const paused = new Map<string, number>()

      const release = yield* batched(
        (released: ReadonlyArray<ReleasedDevice>) =>
          Effect.as(
            transaction(Effect.andThen(work.holdClaimed(released), work.release(released, instance))),
            () => Exit.void
          ),
        { maxBatch: 500 }
      )

      const claim = Effect.gen(function* () {
        const busy = [...active.values()].reduce((sum, count) => sum + count, 0)
        if (busy >= MOST) return []
        const now = yield* Clock.currentTimeMillis
        for (const [slug, until] of paused) if (until <= now) paused.delete(slug)
        const limits = { each: MOST_EACH, active, paused: [...paused.keys()], most: MOST - busy }
        const claims = yield* work.claim(randomUUID(), instance, limits, new Date(now))
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
        known: ForcedModeRow | undefined
      ) {
        const { claim, deviceId, manufacturer } = leased.job
        const isHeld = Effect.map(Clock.currentTimeMillis, (now) => now < leased.until)
        let mode = known
        let isStale = false
        const currentMode = Effect.gen(function* () {
          if (isStale) mode = (yield* modes.byDevices([deviceId]))[0]
          isStale = true
          return mode
        })
        let avoided = false
        const first = yield* currentMode
        if (first !== undefined && isEnding(first, yield* Clock.currentTimeMillis) && (yield* isHeld)) {
          avoided = (yield* forced.end(first, device)).elsewhere
        }
        for (const command of due) {
          if (avoided || runner.isStopping() || !(yield* isHeld)) break
          const effect = yield* handover.hand(command, device, yield* currentMode, isHeld)
          avoided = effect.elsewhere
          if (effect.pausedUntil !== null && limited.has(manufacturer)) {
            const now = yield* Clock.currentTimeMillis
            paused.set(manufacturer, Math.min(effect.pausedUntil, now + QUOTA_PAUSE))
          }
        }
        yield* release({ deviceId, claim, avoided })
      })

      const runner: JobRunner = yield* makeJobRunner<DeviceClaim>({
        name: "CommandRunner",
        lease: `${LEASE_SECONDS} seconds`,
        poll: "250 millis",
        patience: "10 seconds",
        claim,
        prepare: Effect.fnUntraced(function* (leased) {
          const ids = leased.map(({ job }) => job.deviceId)
          const now = new Date(yield* Clock.currentTimeMillis)
          const known = new Map((yield* devices.byIds(ids)).map((device) => [device.id, device]))
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
        renew: Effect.fnUntraced(function* (jobs) {
          const kept = yield* work.renew(jobs.map(({ claim, deviceId }) => ({ claim, deviceId })))
          return new Set(jobs.filter(({ deviceId }) => kept.has(deviceId)))
        }),
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
