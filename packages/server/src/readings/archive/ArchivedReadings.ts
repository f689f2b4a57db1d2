import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Span } from "../../energy/intervals.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { IdRow, queryRows } from "../../platform/sql/rows.ts"
import { HOUR, startOfHour } from "../hours.ts"
import { type Order, ReadingText } from "../readingText.ts"
import { ArchiveBorder } from "./ArchiveBorder.ts"
import { ReadingsArchive } from "./ReadingsArchive.ts"
import type { ReadingKey } from "./archiveRows.ts"

const KeptRow = Schema.Struct({ id: Schema.String, at: Schema.Finite })
const TimeRow = Schema.Struct({ at: Schema.Finite })

const ordered = <A>(items: ReadonlyArray<A>, time: (item: A) => number, order: Order) =>
  items.toSorted((one, other) => (order === "asc" ? time(one) - time(other) : time(other) - time(one)))

/**
 * Readings before the border, in the archive and in PostgreSQL, where late ones wait for their move. Of two readings with one time, the archive's was
 * first. PostgreSQL is read first, because readings move to the archive and never back.
 */
export class ArchivedReadings extends Context.Service<
  ArchivedReadings,
  {
    /** A page of the readings of a span before the border. */
    readonly page: (
      deviceId: string,
      span: Span,
      order: Order,
      limit: number,
      offset: number
    ) => Effect.Effect<ReadonlyArray<ReadingText>, DatabaseUnavailable>
    readonly count: (deviceId: string, span: Span) => Effect.Effect<number, DatabaseUnavailable>
    /** How many readings there are in each hour of a span before the border. */
    readonly countHours: (deviceId: string, span: Span) => Effect.Effect<ReadonlyArray<number>, DatabaseUnavailable>
    /** Those of the readings whose times are archived already; none where that is unknown. */
    readonly known: (keys: ReadonlyArray<ReadingKey>) => Effect.Effect<ReadonlyArray<ReadingKey>, DatabaseUnavailable>
    /** The instants from which what is computed of devices needs no archived readings, where they lie before the border. */
    readonly keptFrom: (
      deviceIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, number>, DatabaseUnavailable>
    /** Those of the devices whose archived readings may be read: none of them waits for its deletion. */
    readonly readable: (deviceIds: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, DatabaseUnavailable>
  }
>()("@edp/server/readings/ArchivedReadings") {
  static readonly layer = Layer.effect(
    ArchivedReadings,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const archive = yield* ReadingsArchive
      const border = yield* ArchiveBorder

      const readable = (deviceIds: ReadonlyArray<string>) =>
        queryRows(IdRow)(
          sql`SELECT device_id AS id FROM archive_deletions WHERE device_id = ANY(${deviceIds}::text[])`
        ).pipe(
          Effect.map((rows) => {
            const removed = new Set(rows.map(({ id }) => id))
            return new Set(deviceIds.filter((id) => !removed.has(id)))
          })
        )

      const isReadable = (deviceId: string) => Effect.map(readable([deviceId]), (found) => found.has(deviceId))

      const inSpan = (deviceId: string, { from, to }: Span) =>
        sql`readings WHERE device_id = ${deviceId} AND at >= ${new Date(from)} AND at < ${new Date(to)}`
      const at = sql.literal("(date_part('epoch', at) * 1000)::float8")
      const lateTimes = (deviceId: string, span: Span, order: Order, limit: number) =>
        queryRows(TimeRow)(
          sql`SELECT ${at} AS at FROM ${inSpan(deviceId, span)}
            ORDER BY readings.at ${sql.literal(order)} LIMIT ${limit}`.unprepared
        ).pipe(Effect.map((rows) => rows.map((row) => row.at)))
      const lateReadings = (deviceId: string, span: Span) =>
        queryRows(ReadingText)(
          sql`SELECT id, ${at} AS at, state::text AS state FROM ${inSpan(deviceId, span)}`.unprepared
        )
      const NO_LIMIT = 2_147_483_647

      /** The page's times are found first, so that a page far behind the first one reads no states before it. */
      const mergedPage = Effect.fnUntraced(function* (
        deviceId: string,
        span: Span,
        order: Order,
        limit: number,
        offset: number,
        late: ReadonlyArray<number>
      ) {
        const archived = yield* archive.times(deviceId, span, order, offset + limit)
        const times = ordered([...new Set([...late, ...archived])], (time) => time, order).slice(offset, offset + limit)
        if (times.length === 0) return []
        const part = { from: Math.min(...times), to: Math.max(...times) + 1 }
        const found = [
          ...(yield* lateReadings(deviceId, part)),
          ...(yield* archive.page(deviceId, part, order, limit, 0))
        ]
        const byTime = new Map(found.map((reading) => [reading.at, reading]))
        return times.flatMap((time) => byTime.get(time) ?? [])
      })

      /** The late readings of a span whose times are not archived. */
      const onlyLate = Effect.fnUntraced(function* (deviceId: string, span: Span) {
        const late = yield* lateTimes(deviceId, span, "asc", NO_LIMIT)
        if (late.length === 0) return []
        const archived = new Set(
          yield* archive.times(deviceId, { from: late[0]!, to: late.at(-1)! + 1 }, "asc", NO_LIMIT)
        )
        return late.filter((time) => !archived.has(time))
      })

      return {
        readable,
        keptFrom: (deviceIds) =>
          queryRows(KeptRow)(sql`SELECT device_id AS id, date_part('epoch', kept_from) * 1000 AS at FROM archive_kept
              WHERE device_id = ANY(${deviceIds}::text[])`).pipe(
            Effect.map((rows) => new Map(rows.map((row) => [row.id, row.at])))
          ),
        page: Effect.fn("ArchivedReadings.page")(function* (deviceId, span, order, limit, offset) {
          const late = yield* lateTimes(deviceId, span, order, offset + limit)
          if (!(yield* isReadable(deviceId))) {
            const found = yield* lateReadings(deviceId, span)
            return ordered(found, (reading) => reading.at, order).slice(offset, offset + limit)
          }
          return late.length === 0
            ? yield* archive.page(deviceId, span, order, limit, offset)
            : yield* mergedPage(deviceId, span, order, limit, offset, late)
        }),
        count: Effect.fn("ArchivedReadings.count")(function* (deviceId, span) {
          if (!(yield* isReadable(deviceId))) return (yield* lateTimes(deviceId, span, "asc", NO_LIMIT)).length
          const late = yield* onlyLate(deviceId, span)
          return late.length + (yield* archive.count(deviceId, span))
        }),
        countHours: Effect.fn("ArchivedReadings.countHours")(function* (deviceId, span) {
          const isArchived = yield* isReadable(deviceId)
          const late = yield* isArchived ? onlyLate(deviceId, span) : lateTimes(deviceId, span, "asc", NO_LIMIT)
          const archived = isArchived ? yield* archive.countHours(deviceId, span) : new Map<number, number>()
          const more = Map.groupBy(late, startOfHour)
          return Array.from({ length: (span.to - span.from) / HOUR }, (_, n) => {
            const hour = span.from + n * HOUR
            return (archived.get(hour) ?? 0) + (more.get(hour)?.length ?? 0)
          })
        }),
        known: Effect.fnUntraced(function* (keys) {
          const archivedUntil = yield* border.current
          const old = keys.filter((key) => key.at < archivedUntil)
          if (old.length === 0) return []
          const open = yield* readable([...new Set(old.map(({ deviceId }) => deviceId))])
          const wanted = old.filter(({ deviceId }) => open.has(deviceId))
          if (wanted.length === 0) return []
          return yield* Effect.catch(archive.find(wanted), () => Effect.succeed([]))
        })
      }
    })
  )
}
