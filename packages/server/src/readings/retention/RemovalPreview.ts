import { deviceTypes } from "@edp/domain/devices/DeviceType"
import type { ReadingRemoval } from "@edp/domain/telemetry/ReadingRetentionApi"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { monotonicMillis } from "../../platform/jobs/monotonic.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { ArchiveBorder } from "../archive/ArchiveBorder.ts"
import { ArchivedReadings } from "../archive/ArchivedReadings.ts"
import type { DeviceScope } from "./deviceScope.ts"
import { RetentionRepository } from "./RetentionRepository.ts"
import { keptDayOn } from "./sealingPlan.ts"
import { type Settings, WorkspaceFloorsRepository } from "./WorkspaceFloorsRepository.ts"

/** The limits of a count. On the embedded database a statement stops the whole process while it runs. */
const limits = {
  /** Milliseconds after which no further statement begins. */
  patienceMs: 10_000,
  /** Readings of one device. */
  readings: 1_000_000,
  /** Devices of a statement. */
  devices: (driver: string) => (driver === "pglite" ? 1 : 10)
} as const

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

/** The earlier or later of two times, of which either may be missing. */
const nearest = (pick: (...times: ReadonlyArray<number>) => number, one: number | null, other: number | null) =>
  one === null || other === null ? (one ?? other) : pick(one, other)

interface Figures {
  readonly devices: number
  readonly readings: number
  readonly oldest: number | null
  readonly newest: number | null
  readonly bytes: number
  /** How many of the readings are in the archive. */
  readonly archived: number
}

const nothing: Figures = { devices: 0, readings: 0, oldest: null, newest: null, bytes: 0, archived: 0 }

/** Counts the readings that a retention would remove. */
export class RemovalPreview extends Context.Service<
  RemovalPreview,
  {
    readonly count: (
      workspaceId: string,
      settings: Settings
    ) => Effect.Effect<ReadonlyArray<ReadingRemoval>, DatabaseUnavailable>
  }
>()("@edp/server/RemovalPreview") {
  static readonly layer = Layer.effect(
    RemovalPreview,
    Effect.gen(function* () {
      const repository = yield* RetentionRepository
      const floors = yield* WorkspaceFloorsRepository
      const archived = yield* ArchivedReadings
      const border = yield* ArchiveBorder
      const sql = yield* SqlClient.SqlClient
      const together = limits.devices(sql.driver ?? "")

      const inArchive = Effect.fnUntraced(function* (deviceId: string, from: number, to: number) {
        const span = { from, to }
        const readings = from < to ? yield* archived.count(deviceId, span) : 0
        if (readings === 0) return { readings, oldest: null, newest: null }
        const [first] = yield* archived.page(deviceId, span, "asc", 1, 0)
        const [last] = yield* archived.page(deviceId, span, "desc", 1, 0)
        return { readings, oldest: first?.at ?? null, newest: last?.at ?? null }
      })

      /** Adds the readings of some devices. A sentence says why they can't be counted. */
      const add = Effect.fnUntraced(function* (sum: Figures, ids: ReadonlyArray<string>, from: number, to: number) {
        const archivedUntil = yield* border.current
        const found = yield* floors.figures(ids, Math.max(from, Math.min(to, archivedUntil)), to, limits.readings)
        for (const stored of found) {
          if (stored.readings === limits.readings)
            return `The device ${stored.id} has ${limits.readings.toLocaleString("en-US")} of them or more`
          const cold = yield* Effect.option(inArchive(stored.id, from, Math.min(to, archivedUntil)))
          if (cold._tag === "None") return "The archive does not respond"
          const readings = stored.readings + cold.value.readings
          sum = {
            devices: sum.devices + (readings > 0 ? 1 : 0),
            readings: sum.readings + readings,
            oldest: nearest(Math.min, sum.oldest, nearest(Math.min, stored.oldest, cold.value.oldest)),
            newest: nearest(Math.max, sum.newest, nearest(Math.max, stored.newest, cold.value.newest)),
            bytes: sum.bytes + stored.bytes,
            archived: sum.archived + cold.value.readings
          }
        }
        return sum
      })

      const countScope = Effect.fnUntraced(function* (scope: DeviceScope, from: number, to: number, until: number) {
        let sum = nothing
        if (from >= to) return sum
        for (let after = ""; ;) {
          const ids = yield* repository.devicesBefore(to, after, together, scope)
          if (ids.length === 0) break
          if ((yield* monotonicMillis) > until)
            return `They could not be counted within ${limits.patienceMs / 1000} seconds`
          const added = yield* add(sum, ids, from, to)
          if (typeof added === "string") return added
          sum = added
          after = ids.at(-1)!
        }
        return sum
      })

      return {
        count: Effect.fn("RemovalPreview.count")(function* (workspaceId, { days, deviceTypes: ofTypes }) {
          const now = yield* Clock.currentTimeMillis
          const until = (yield* monotonicMillis) + limits.patienceMs
          const known = new Map(
            (yield* floors.removed(workspaceId)).map(({ deviceType, keptFrom }) => [deviceType, Date.parse(keptFrom)])
          )
          const { keptFrom } = yield* repository.floor
          const removals: Array<ReadingRemoval> = []
          for (const deviceType of deviceTypes) {
            const limit = ofTypes[deviceType] ?? days
            if (limit === null) continue
            const before = keptDayOn(now, limit)
            const from = Math.max(keptFrom, known.get(deviceType) ?? 0)
            const found = yield* countScope({ workspaceId, deviceType }, from, before, until)
            const shown = { deviceType, days: limit, before: new Date(before).toISOString() }
            removals.push(
              typeof found === "string"
                ? { ...shown, devices: null, readings: null, from: null, to: null, bytes: null, reason: found }
                : {
                    ...shown,
                    devices: found.devices,
                    readings: found.readings,
                    from: iso(found.oldest),
                    to: iso(found.newest),
                    bytes: found.archived > 0 ? null : found.bytes,
                    reason:
                      found.archived > 0
                        ? `${found.archived.toLocaleString("en-US")} of them are in the archive, which does not tell the size of single readings`
                        : null
                  }
            )
          }
          return removals
        })
      }
    })
  )
}
