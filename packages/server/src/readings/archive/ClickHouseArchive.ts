import type { ClickHouseClient } from "@clickhouse/client"
import { Effect, Layer, Redacted } from "effect"
import type { Span } from "../../energy/intervals.ts"
import { issuedAt } from "../../platform/Ids.ts"
import { monotonicMillis } from "../../platform/jobs/monotonic.ts"
import { logFailure } from "../../platform/logs/repeatedFailures.ts"
import { openContained } from "../../platform/outbound/contained.ts"
import { CurrentRequest } from "../../platform/http/RequestInfo.ts"
import { ArchiveBorder } from "./ArchiveBorder.ts"
import { ArchiveUnavailable, RETRY_AFTER } from "./ArchiveUnavailable.ts"
import {
  type ArchiveTables,
  alteredTable,
  READINGS,
  readSettings,
  storeSettings,
  tableStatements
} from "./archiveTables.ts"
import { ReadingsArchive } from "./ReadingsArchive.ts"
import type { ArchivedReading, DayDigest, SpanStates, TimedState } from "./archiveRows.ts"

/** The limits of calls. docs/archive.md lists them. */
const limits = {
  /** Milliseconds of a call that a request may wait for, and of one of the mover's. */
  readMs: 10_000,
  writeMs: 120_000,
  /** Bytes of a response. */
  responseBytes: 268_435_456,
  /** After a call without a response, the others fail at once for this long. */
  restMs: 2000,
  /** Spans or searches of one statement. */
  together: 25
} as const

/** The ends of the digits of the time and of the suffix in an id. */
const TIME_END = 9
const COUNT_BEGIN = 22

const makeId = (at: number, delay: number, suffix: string, count: number) =>
  `c${(at + delay).toString(36).padStart(8, "0")}${suffix}${count.toString(36).padStart(3, "0")}`

/** `DateTime64` reads seconds with three decimals. */
const seconds = (at: number) => `${Math.floor(at / 1000)}.${`${at % 1000}`.padStart(3, "0")}`

const EARLIEST = Date.UTC(1970, 0)
const LATEST = Date.UTC(2200, 0)
const bounded = (at: number) => Math.max(EARLIEST, Math.min(at, LATEST))

const chunks = <A>(items: ReadonlyArray<A>, size: number) =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size))

const milliseconds = "toUnixTimestamp64Milli(at)"
const instant = (name: string) => `fromUnixTimestamp64Milli({${name}:Int64})`
const digits = (value: string, powers: string) => `arrayStringConcat(arrayMap(p ->
  substring('0123456789abcdefghijklmnopqrstuvwxyz', 1 + toUInt8(intDiv(${value}, p) % 36), 1), [${powers}]))`
const issued = digits(`${milliseconds} + delay`, "78364164096, 2176782336, 60466176, 1679616, 46656, 1296, 36, 1")
const counted = digits("count", "1296, 36, 1")
const checksum = `toString(sum(reinterpretAsUInt64(reverse(substring(
  MD5(concat(toString(${milliseconds}), ' ', ${issued}, suffix, ${counted}, ' ', state)), 1, 8)))))`
const isNumber = (field: string) => `JSONType(state, {${field}:String}) IN ('Int64', 'UInt64', 'Double')`

/** Readings are found once even if they are stored twice. */
const settings = "SETTINGS do_not_merge_across_partitions_select_final = 1, output_format_json_quote_64bit_integers = 0"

type Parameters = Record<string, string | number | ReadonlyArray<string> | ReadonlyArray<number>>
type Row = ReadonlyArray<string | number>

/** Its files take long to load, so only a process that calls the archive loads them. */
const connect = (url: Redacted.Redacted) =>
  Effect.tryPromise(async (): Promise<ClickHouseClient> => {
    const { createClient, ClickHouseLogLevel } = await import("@clickhouse/client")
    const address = new URL(Redacted.value(url))
    const database = address.pathname.slice(1)
    return createClient({
      url: address.origin,
      username: decodeURIComponent(address.username) || "default",
      password: decodeURIComponent(address.password),
      ...(database === "" ? {} : { database }),
      application: "edp",
      request_timeout: limits.writeMs,
      max_open_connections: 10,
      compression: { request: false, response: true },
      use_multipart_params_auto: true,
      clickhouse_settings: {
        max_result_bytes: `${limits.responseBytes}`,
        max_execution_time: limits.writeMs / 1000
      },
      log: { level: ClickHouseLogLevel.OFF }
    })
  })

const isRefusal = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && error.constructor.name === "ClickHouseError"

export const clickHouseArchive = (url: Redacted.Redacted, tables: ArchiveTables) =>
  Layer.effect(
    ReadingsArchive,
    Effect.gen(function* () {
      const border = yield* ArchiveBorder
      let client: ClickHouseClient | undefined
      yield* Effect.addFinalizer(() => Effect.promise(async () => void (await client?.close())))
      let restsUntil = 0

      const unavailable = Effect.gen(function* () {
        const info = yield* CurrentRequest
        info.retryAfter = RETRY_AFTER
        return yield* new ArchiveUnavailable(border.known())
      })

      /** Fails for anything that keeps the call from its response: what refuses old readings now may take them later. */
      const call = <A>(
        name: string,
        patience: number,
        run: (client: ClickHouseClient, signal: AbortSignal) => Promise<A>
      ): Effect.Effect<A, ArchiveUnavailable> =>
        Effect.gen(function* () {
          if ((yield* monotonicMillis) < restsUntil) return yield* unavailable
          const open = client ?? (client = yield* connect(url))
          return yield* Effect.tryPromise({
            try: (signal) => openContained("clickhouse", () => run(open, signal)),
            catch: (error) => error
          }).pipe(Effect.timeout(patience))
        }).pipe(
          Effect.catch((error) =>
            Effect.gen(function* () {
              if (error instanceof ArchiveUnavailable) return yield* error
              if (!isRefusal(error)) restsUntil = (yield* monotonicMillis) + limits.restMs
              const reason = error instanceof Error ? error.message : String(error)
              yield* logFailure("archive", `The archive of readings failed: ${reason.slice(0, 300)}`)
              return yield* unavailable
            })
          ),
          Effect.withSpan(`ReadingsArchive.${name}`, { kind: "client" })
        )

      const select = (name: string, query: string, parameters: Parameters, patience: number = limits.readMs) =>
        call(name, patience, async (open, signal) => {
          const found = await open.query({
            query: `${query} ${settings}`,
            query_params: parameters,
            format: "JSONCompactEachRow",
            clickhouse_settings: readSettings(tables),
            abort_signal: signal
          })
          return found.json<Row>()
        })

      const command = (name: string, query: string, parameters: Parameters = {}) =>
        Effect.asVoid(
          call(name, limits.writeMs, (open, signal) =>
            open.command({ query, query_params: parameters, abort_signal: signal })
          )
        )

      const inSpan = `device_id = {device:String} AND at >= ${instant("from")} AND at < ${instant("to")}`
      const spanned = (device: string, { from, to }: Span) => ({ device, from: bounded(from), to: bounded(to) })
      const direction = (order: "asc" | "desc") => (order === "asc" ? "ASC" : "DESC")

      const toReading = ([at, delay, suffix, count, state]: Row) => ({
        at: Number(at),
        id: makeId(Number(at), Number(delay), String(suffix), Number(count)),
        state: String(state)
      })

      /** One statement for several selections, whose rows begin with their number. */
      const union = Effect.fnUntraced(function* (
        name: string,
        selections: ReadonlyArray<{ readonly query: (p: string) => string; readonly parameters: Parameters }>
      ) {
        const rows: Array<Row> = []
        for (const some of chunks(
          selections.map((each, n) => ({ ...each, n })),
          limits.together
        )) {
          const query = some
            .map(({ n, query: text }) => `SELECT ${n} AS n, * FROM (${text(`_${n}`)})`)
            .join(" UNION ALL ")
          const parameters = Object.assign(
            {},
            ...some.map(({ n, parameters: own }) =>
              Object.fromEntries(Object.entries(own).map(([key, value]) => [`${key}_${n}`, value]))
            )
          )
          rows.push(...(yield* select(name, `SELECT * FROM (${query})`, parameters)))
        }
        return rows
      })

      return {
        isConfigured: true,
        prepare: Effect.forEach(tableStatements(tables), (statement) => command("prepare", statement), {
          discard: true
        }),
        page: (deviceId, span, order, limit, offset) =>
          select(
            "page",
            `SELECT ${milliseconds}, delay, suffix, count, state FROM ${READINGS} FINAL WHERE ${inSpan}
              ORDER BY at ${direction(order)} LIMIT {limit:UInt64} OFFSET {offset:UInt64}`,
            { ...spanned(deviceId, span), limit, offset }
          ).pipe(Effect.map((rows) => rows.map(toReading))),
        times: (deviceId, span, order, limit) =>
          select(
            "times",
            `SELECT ${milliseconds} FROM ${READINGS} FINAL WHERE ${inSpan} ORDER BY at ${direction(order)} LIMIT {limit:UInt64}`,
            { ...spanned(deviceId, span), limit }
          ).pipe(Effect.map((rows) => rows.map(([at]) => Number(at)))),
        count: (deviceId, span) =>
          select("count", `SELECT count() FROM ${READINGS} FINAL WHERE ${inSpan}`, spanned(deviceId, span)).pipe(
            Effect.map(([row]) => Number(row![0]))
          ),
        countHours: (deviceId, span) =>
          select(
            "countHours",
            `SELECT intDiv(${milliseconds}, 3600000) * 3600000 AS hour, count() FROM ${READINGS} FINAL WHERE ${inSpan} GROUP BY hour`,
            spanned(deviceId, span)
          ).pipe(Effect.map((rows) => new Map(rows.map(([hour, n]) => [Number(hour), Number(n)])))),
        find: (keys) =>
          Effect.forEach(chunks(keys, 5000), (some) =>
            select(
              "find",
              `SELECT device_id, ${milliseconds}, delay, suffix, count, state FROM ${READINGS} FINAL WHERE (device_id, at) IN (
                SELECT key.1, fromUnixTimestamp64Milli(key.2) FROM (
                  SELECT arrayJoin(arrayZip({devices:Array(String)}, {times:Array(Int64)})) AS key))`,
              { devices: some.map(({ deviceId }) => deviceId), times: some.map(({ at }) => at) }
            )
          ).pipe(
            Effect.map((found) =>
              found
                .flat()
                .map(([deviceId, ...rest]): ArchivedReading => ({ deviceId: String(deviceId), ...toReading(rest) }))
            )
          ),
        spans: Effect.fnUntraced(function* (wanted, limit, until) {
          const part = (p: string, condition: string, order: "ASC" | "DESC", most: string) =>
            `SELECT ${milliseconds} AS ms, state FROM ${READINGS} FINAL WHERE device_id = {device${p}:String}
              AND at < ${instant(`until${p}`)} AND ${condition} ORDER BY at ${order} LIMIT ${most}`
          const rows = yield* union(
            "spans",
            wanted.map(({ deviceId, from, to }) => ({
              query: (p) => `SELECT * FROM (${part(p, `at < ${instant(`from${p}`)}`, "DESC", "1")}) UNION ALL
                SELECT * FROM (${part(p, `at >= ${instant(`from${p}`)} AND at < ${instant(`to${p}`)}`, "ASC", `{limit${p}:UInt64}`)}) UNION ALL
                SELECT * FROM (${part(p, `at >= ${instant(`to${p}`)}`, "ASC", "1")})`,
              parameters: {
                device: deviceId,
                from: bounded(from),
                to: bounded(to),
                until,
                limit: Math.min(limit, Number.MAX_SAFE_INTEGER)
              }
            }))
          )
          const found = Map.groupBy(rows, ([n]) => Number(n))
          return wanted.map(({ from, to }, n): SpanStates => {
            const own = (found.get(n) ?? []).map(([, at, state]): TimedState => [Number(at), String(state)])
            const sorted = own.toSorted(([one], [other]) => one - other)
            return {
              before: sorted.findLast(([at]) => at < from),
              within: sorted.filter(([at]) => at >= from && at < to),
              after: sorted.find(([at]) => at >= to && at >= from)
            }
          })
        }),
        nearest: Effect.fnUntraced(function* (wanted, which) {
          const rows = yield* union(
            "nearest",
            wanted.map(({ deviceId, field, from, to }) => ({
              query: (
                p
              ) => `SELECT ${milliseconds} AS ms, state FROM ${READINGS} FINAL WHERE device_id = {device${p}:String}
                AND at >= ${instant(`from${p}`)} AND at < ${instant(`to${p}`)} AND ${isNumber(`field${p}`)}
                ORDER BY at ${which === "first" ? "ASC" : "DESC"} LIMIT 1`,
              parameters: { device: deviceId, field, from: bounded(from), to: bounded(to) }
            }))
          )
          const found = new Map(rows.map(([n, at, state]) => [Number(n), [Number(at), String(state)] as const]))
          return wanted.map((_, n) => found.get(n))
        }),
        firstTimes: (deviceIds, { from, to }) =>
          select(
            "firstTimes",
            `SELECT device_id, toUnixTimestamp64Milli(min(at)) FROM ${READINGS} WHERE device_id IN ({devices:Array(String)})
              AND at >= ${instant("from")} AND at < ${instant("to")} GROUP BY device_id`,
            { devices: deviceIds, from: bounded(from), to: bounded(to) }
          ).pipe(Effect.map((rows) => new Map(rows.map(([id, at]) => [String(id), Number(at)])))),
        lastStates: (deviceIds, { from, to }) =>
          select(
            "lastStates",
            `SELECT DISTINCT device_id, toUnixTimestamp64Milli(latest.1), latest.2 FROM (
              SELECT device_id, arrayJoin(arrayConcat([''], JSONExtractKeys(state))) AS field, max((at, state)) AS latest FROM ${READINGS}
              WHERE device_id IN ({devices:Array(String)}) AND at >= ${instant("from")} AND at < ${instant("to")}
                AND (field = '' OR JSONType(state, field) IN ('Int64', 'UInt64', 'Double'))
              GROUP BY device_id, field)`,
            { devices: deviceIds, from: bounded(from), to: bounded(to) },
            limits.writeMs
          ).pipe(
            Effect.map((rows) =>
              rows.map(([id, at, state]) => ({ deviceId: String(id), at: Number(at), state: String(state) }))
            )
          ),
        store: (readings) =>
          call("store", limits.writeMs, (open, signal) =>
            open.insert({
              table: READINGS,
              columns: ["device_id", "at", "delay", "suffix", "count", "state"],
              format: "JSONCompactEachRow",
              values: readings.map(({ deviceId, at, id, state }) => [
                deviceId,
                seconds(at),
                issuedAt(id) - at,
                id.slice(TIME_END, COUNT_BEGIN),
                Number.parseInt(id.slice(COUNT_BEGIN), 36),
                state
              ]),
              clickhouse_settings: storeSettings(tables),
              abort_signal: signal
            })
          ).pipe(Effect.asVoid),
        digests: ({ from, to }, after, until) =>
          select(
            "digests",
            `SELECT device_id, toString(toDate(at, 'UTC')) AS day, count(), ${checksum} FROM ${READINGS} FINAL
              WHERE device_id > {after:String} AND device_id <= {until:String} AND at >= ${instant("from")} AND at < ${instant("to")}
              GROUP BY device_id, day`,
            { after, until, from, to },
            limits.writeMs
          ).pipe(
            Effect.map((rows) =>
              rows.map(([deviceId, day, readings, sum]): DayDigest => ({
                deviceId: String(deviceId),
                day: String(day),
                readings: Number(readings),
                checksum: String(sum)
              }))
            )
          ),
        remove: (deviceIds, span) =>
          command(
            "remove",
            `ALTER TABLE ${alteredTable(tables)} DELETE WHERE device_id IN ({devices:Array(String)})
              ${span === undefined ? "" : `AND at >= ${instant("from")} AND at < ${instant("to")}`} SETTINGS mutations_sync = 2`,
            { devices: deviceIds, ...(span === undefined ? {} : { from: span.from, to: span.to }) }
          ),
        dropBefore: Effect.fnUntraced(function* (at) {
          const months = yield* select(
            "months",
            `SELECT DISTINCT toYYYYMM(at) AS month FROM ${READINGS} WHERE at < ${instant("to")} ORDER BY month`,
            { to: at },
            limits.writeMs
          )
          for (const [month] of months)
            yield* command("dropBefore", `ALTER TABLE ${alteredTable(tables)} DROP PARTITION ${Number(month)}`)
        })
      }
    })
  )
