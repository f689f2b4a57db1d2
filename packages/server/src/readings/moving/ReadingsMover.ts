import { Clock, Context, Effect, Layer, Metric, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { Span } from "../../energy/intervals.ts"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { issuedAt } from "../../platform/Ids.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { dedicatedSession } from "../../platform/sql/pooledClient.ts"
import { settleSqlErrors } from "../../platform/sql/transaction.ts"
import { EVENTS_KEPT } from "../retention/EventStatesRepository.ts"
import { RetentionLimits } from "../retention/RetentionLimits.ts"
import { SealingPlanner } from "../retention/SealingPlanner.ts"
import { RetentionRepository } from "../retention/RetentionRepository.ts"
import { WorkspaceFloorsRepository } from "../retention/WorkspaceFloorsRepository.ts"
import { ArchiveBorder } from "../archive/ArchiveBorder.ts"
import { type ArchiveMonth, ArchiveRepository } from "./ArchiveRepository.ts"
import { ArchiveDeletion } from "./ArchiveDeletion.ts"
import { ReadingsArchive } from "../archive/ReadingsArchive.ts"
import type { ArchivedReading, DayDigest, ReadingKey } from "../archive/archiveRows.ts"

const DAY = 86_400_000

/** Devices from which one statement of the archive deletes. */
const ARCHIVED_DEVICES = 1000

/** Days after which a month is moved although the energies of some devices are not rolled up. */
const LONGEST_WAIT_DAYS = 7

const unrolled = Metric.gauge("edp_archive_unrolled_devices", {
  description:
    "Devices whose energies are not rolled up and delay the move of the oldest month into the archive, for a week at most"
})
const moved = Metric.counter("edp_readings_archived_total", {
  description: "Readings that this instance copied into the archive",
  incremental: true
})

/** The start of the UTC month that an age in days reaches into: everything before it is older. */
export const archivableUntil = (now: number, hotDays: number): number => {
  const date = new Date(now - hotDays * DAY)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

const monthSpan = (month: string): Span => {
  const from = Date.parse(`${month}T00:00:00Z`)
  const date = new Date(from)
  return { from, to: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) }
}

const keyText = ({ deviceId, at }: ReadingKey) => `${deviceId} ${at}`
const digestText = ({ deviceId, day, readings, checksum }: DayDigest) => `${deviceId} ${day} ${readings} ${checksum}`

/** Devices with a day whose count or checksum differs. */
const differing = (one: ReadonlyArray<DayDigest>, other: ReadonlyArray<DayDigest>): ReadonlySet<string> => {
  const [known, found] = [new Set(one.map(digestText)), new Set(other.map(digestText))]
  return new Set(
    [
      ...one.filter((each) => !found.has(digestText(each))),
      ...other.filter((each) => !known.has(digestText(each)))
    ].map(({ deviceId }) => deviceId)
  )
}

/**
 * Moves readings of months that are older than `EDP_HOT_DAYS` from PostgreSQL into the archive. A crash after any of the steps leaves a valid
 * state, and each can be repeated:
 *
 *  1. From the beginning of a month's move on, a trigger notes the devices of readings that arrive late for it.
 *  2. The month is copied in blocks, in the order of devices. Counts and checksums of each device and day are compared after each block.
 *  3. The border is raised: readers take the month from both, and of readings with the same time one.
 *  4. When every reader knows the border, the readings that arrived meanwhile are copied too, and the month's partition is dropped if no more did.
 *
 * A reading that arrives for an archived month is stored in PostgreSQL. The next run copies it and, when it is in the archive, deletes it by its key.
 */
export class ReadingsMover extends Context.Service<
  ReadingsMover,
  {
    /** Does what can be done now, and returns whether more can be done soon. Only one instance at a time does so. */
    readonly move: Effect.Effect<boolean, DatabaseUnavailable>
  }
>()("@edp/server/readings/ReadingsMover") {
  static readonly layer = Layer.effect(
    ReadingsMover,
    Effect.gen(function* () {
      const { hotDays } = yield* ServerConfig
      const archive = yield* ReadingsArchive
      const border = yield* ArchiveBorder
      const repository = yield* ArchiveRepository
      const retention = yield* RetentionRepository
      const deletion = yield* ArchiveDeletion
      const planner = yield* SealingPlanner
      const { lag } = yield* RetentionLimits
      const floors = yield* WorkspaceFloorsRepository
      const sql = yield* SqlClient.SqlClient
      const { maxRows } = repository
      let isPrepared = false

      /** The next readings, of whole devices unless one has more than a block. */
      const nextBlock = Effect.fnUntraced(function* (span: Span, after: ReadingKey) {
        const rows = yield* repository.readings(span, after, maxRows)
        if (rows.length < maxRows) return rows
        const last = rows.at(-1)!.deviceId
        const whole = rows.filter(({ deviceId }) => deviceId !== last)
        return whole.length > 0 ? whole : yield* repository.readingsOfDevices(span, [last])
      })

      const store = (readings: ReadonlyArray<ArchivedReading>) =>
        Effect.gen(function* () {
          for (let first = 0; first < readings.length; first += maxRows)
            yield* archive.store(readings.slice(first, first + maxRows))
          yield* Metric.update(moved, readings.length)
        })

      /** Keeps states of events, and readings that later ones are paired with: the present needs them when their month has left PostgreSQL. */
      const keepNeeded = Effect.fnUntraced(function* (span: Span, readings: ReadonlyArray<ArchivedReading>) {
        const ids = [...new Set(readings.map(({ deviceId }) => deviceId))]
        for (let first = 0; first < ids.length; first += 1000)
          yield* repository.keep(yield* archive.lastStates(ids.slice(first, first + 1000), span))
        const eventsSince = (yield* Clock.currentTimeMillis) - EVENTS_KEPT
        const recent = readings.filter(({ id }) => issuedAt(id) >= eventsSince)
        for (let first = 0; first < recent.length; first += 5000)
          yield* repository.keepEventStates(recent.slice(first, first + 5000))
      })

      /** Energies of a device that is silent, or not rolled up, go on from its last readings, which a report of any later time needs. */
      const keepSilent = Effect.fnUntraced(function* (span: Span, readings: ReadonlyArray<ArchivedReading>) {
        const ids = [...new Set(readings.map(({ deviceId }) => deviceId))]
        for (let first = 0; first < ids.length; first += 1000) {
          const silent = yield* repository.silent(ids.slice(first, first + 1000), span.to)
          if (silent.length === 0) continue
          const plans = yield* planner.plan(span.to, silent)
          yield* repository.keepPieces(span, plans)
          for (const { deviceId, kept } of plans) {
            for (const { from, to } of kept.filter((piece) => piece.from < span.from)) {
              const older = yield* archive.page(deviceId, { from, to: Math.min(to, span.from) }, "asc", NO_LIMIT, 0)
              if (older.length > 0) yield* repository.keep(older.map((reading) => ({ ...reading, deviceId })))
            }
          }
          yield* repository.recordKept(plans)
        }
      })

      /** Devices whose readings differ between both, apart from those with readings that have arrived since the move began. */
      const compare = Effect.fnUntraced(function* (month: string, span: Span, after: string, until: string) {
        const archived = yield* archive.digests(span, after, until)
        const stored = yield* repository.digests(span, after, until)
        const found = differing(stored, archived)
        if (found.size === 0) return []
        const changed = yield* repository.changedAmong(month, [...found])
        return [...found].filter((id) => !changed.has(id))
      })

      /** Copies the devices after one and up to another, whose readings these are. */
      const copyBlock = Effect.fnUntraced(function* (
        month: string,
        span: Span,
        after: string,
        readings: ReadonlyArray<ArchivedReading>
      ) {
        const until = readings.at(-1)!.deviceId
        yield* store(readings)
        const different = yield* compare(month, span, after, until)
        if (different.length > 0) {
          // A process that was stopped for long would delete what another one has moved, and dropped here, meanwhile.
          if (!(yield* repository.isCopying(month, after))) {
            return yield* Effect.die(new Error(`Another instance moves the readings of ${month.slice(0, 7)}`))
          }
          // A block of an earlier attempt had readings of a device that was removed since, or one was lost.
          yield* archive.remove(different, span)
          yield* store(yield* repository.readingsOfDevices(span, different))
          const left = yield* compare(month, span, after, until)
          if (left.length > 0) {
            return yield* Effect.die(
              new Error(
                `The archive holds other readings of ${month.slice(0, 7)} than were copied, such as of ${left[0]}`
              )
            )
          }
        }
        yield* keepNeeded(span, readings)
        yield* keepSilent(span, readings)
        yield* repository.recordCopied(month, until)
        return until
      })

      /** Copies readings whose times the archive does not have, and proves that it has all of them. */
      const copyMissing = Effect.fnUntraced(function* (span: Span, readings: ReadonlyArray<ArchivedReading>) {
        const known = new Set((yield* archive.find(readings)).map(keyText))
        const missing = readings.filter((reading) => !known.has(keyText(reading)))
        if (missing.length > 0) {
          yield* store(missing)
          const found = new Map((yield* archive.find(missing)).map((reading) => [keyText(reading), reading]))
          for (const reading of missing) {
            const copy = found.get(keyText(reading))
            if (copy?.id !== reading.id || copy.state !== reading.state)
              return yield* Effect.die(
                new Error(`The archive does not hold a reading of ${reading.deviceId} that was copied`)
              )
          }
        }
        yield* keepNeeded(span, readings)
        yield* repository.keepLate(readings)
      })

      /** Whether the partition of a month was dropped. */
      const finish = Effect.fnUntraced(function* (month: string, span: Span) {
        for (let tries = 0; tries < 10; tries++) {
          for (;;) {
            const changes = yield* repository.changes(month)
            if (changes.length === 0) break
            const ids = changes.map(({ deviceId }) => deviceId)
            yield* copyMissing(span, yield* repository.readingsOfDevices(span, ids))
            yield* repository.settle(month, changes)
          }
          if (yield* repository.drop(month)) return true
          yield* Effect.sleep("500 millis")
        }
        return false
      })

      /** Returns whether the month is done. */
      const moveMonth = Effect.fn("ReadingsMover.moveMonth")(function* (
        { month, copiedDevice, shownAt }: ArchiveMonth,
        now: number
      ) {
        const span = monthSpan(month)
        const name = month.slice(0, 7)
        if (copiedDevice === null) {
          const { devices, example } = yield* retention.unrolledBefore(span.to)
          yield* Metric.update(unrolled, devices)
          const isOverdue = span.to <= now - (hotDays + LONGEST_WAIT_DAYS) * DAY
          if (devices > 0) {
            const plan = isOverdue ? "move" : `stay for ${LONGEST_WAIT_DAYS} days at most`
            yield* Effect.logWarning(
              `The energies of ${devices} devices are not rolled up, such as ${example}: the readings of ${name} ${plan}`
            )
            if (!isOverdue) return false
          }
          if (!(yield* repository.begin(month))) return false
        }
        if (shownAt === null) {
          let after = copiedDevice ?? ""
          for (;;) {
            const readings = yield* nextBlock(span, { deviceId: after, at: LATEST })
            if (readings.length === 0) break
            after = yield* copyBlock(month, span, after, readings)
          }
          yield* repository.show(month, span.to)
          yield* border.refresh
        }
        if (!(yield* repository.isKnown(lag))) return false
        if (!(yield* finish(month, span))) return false
        yield* Effect.logInfo(`The readings of ${name} are in the archive`)
        return true
      })

      /** Moves readings that arrived for an archived month. */
      const moveLate = Effect.fn("ReadingsMover.moveLate")(function* (month: string) {
        const span = monthSpan(month)
        let after: ReadingKey = { deviceId: "", at: 0 }
        for (;;) {
          const readings = yield* repository.readings(span, after, maxRows)
          if (readings.length === 0) break
          yield* copyMissing(span, readings)
          yield* repository.removeLate(span, readings)
          after = readings.at(-1)!
        }
        return yield* repository.drop(month)
      })

      /**
       * Removes archived readings that workspaces no longer keep, by whole months: the archive rewrites what it deletes from. Those of the
       * last month are no longer read. PostgreSQL has none left to copy.
       */
      const removeFromArchive = Effect.gen(function* () {
        for (const floor of yield* floors.archived) {
          for (let after = ""; ;) {
            const ids = yield* floors.devicesAfter(floor, after, ARCHIVED_DEVICES)
            if (ids.length === 0) break
            yield* archive.remove(ids, { from: 0, to: floor.before })
            after = ids.at(-1)!
          }
          yield* floors.recordArchiveRemoved(floor)
        }
      })

      const moveAll = Effect.gen(function* () {
        if (!isPrepared) yield* archive.prepare
        isPrepared = true
        yield* deletion.deleteRemoved
        yield* repository.forgetDropped
        yield* removeFromArchive
        const { keptFrom, sealed } = yield* retention.floor
        if (sealed && (yield* retention.isUnread(lag))) yield* archive.dropBefore(keptFrom)
        // The earlier of two clocks: one that is ahead must not move the present.
        const now = Math.min(yield* Clock.currentTimeMillis, yield* repository.now)
        const until = archivableUntil(now, hotDays)
        let archivedUntil = yield* border.refresh
        for (const each of yield* repository.months(Math.max(until, archivedUntil))) {
          const { to } = monthSpan(each.month)
          if (to <= archivedUntil && each.copiedDevice === null) {
            if (yield* repository.isKnown(lag)) yield* moveLate(each.month)
          } else if (!(yield* moveMonth(each, now))) return true
          archivedUntil = yield* border.refresh
        }
        return false
      })

      const session = dedicatedSession(sql)
      const lock = (call: string) => `SELECT ${call}(hashtextextended('archive of readings', 0)) AS held`
      /** The lock ends with the scope, or with the session if this process dies. */
      const alone: Effect.Effect<boolean, DatabaseUnavailable, Scope.Scope> =
        session === undefined
          ? Effect.succeed(true)
          : Effect.gen(function* () {
              const connection = yield* session
              const [row] = yield* connection.execute(lock("pg_try_advisory_lock"), [], undefined)
              if (row?.held !== true) return false
              // The session goes back to its pool, and would keep the lock there.
              yield* Effect.addFinalizer(() =>
                Effect.ignore(connection.execute(lock("pg_advisory_unlock"), [], undefined))
              )
              return true
            }).pipe(settleSqlErrors)

      return {
        move: archive.isConfigured
          ? Effect.scoped(Effect.flatMap(alone, (held) => (held ? moveAll : Effect.succeed(false)))).pipe(
              Effect.withSpan("ReadingsMover.move")
            )
          : Effect.succeed(false)
      }
    })
  )
}

/** After all readings of a device. */
const LATEST = Date.UTC(9999, 0)

const NO_LIMIT = 2_147_483_647
