import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { serveRequests } from "../setting/childProcess.ts"
import { percentile } from "../statistics.ts"
import type { BareLoad, BareResult, Work } from "./BareClient.ts"
import { insertReadings } from "./insertReadings.ts"

const makeTurn = (sql: SqlClient.SqlClient, work: Work): ((turn: number) => Effect.Effect<unknown, unknown>) =>
  work.kind === "insert"
    ? insertReadings(sql, work)
    : () => Effect.forEach(work.statements, (statement) => sql.unsafe(statement), { discard: true })

const client = (connections: number) =>
  PgClient.layer({
    url: Redacted.make(process.env["DATABASE_URL"]!),
    maxConnections: connections,
    transformJson: false
  })

const run = ({ work, concurrency, connections, seconds }: BareLoad): Effect.Effect<BareResult, unknown> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const once = makeTurn(sql, work)
    const times: Array<number> = []
    let turn = 0
    let until = 0
    const loop = Effect.gen(function* () {
      while (performance.now() < until) {
        const sent = performance.now()
        yield* once(turn++)
        times.push(performance.now() - sent)
      }
    })
    const every = Effect.forEach(Array.from({ length: concurrency }), () => loop, {
      concurrency: "unbounded",
      discard: true
    })
    // The connections are opened and the statements prepared before the clock starts.
    until = performance.now() + 500
    yield* every
    times.length = 0
    const began = performance.now()
    until = began + seconds * 1000
    yield* every
    const elapsed = (performance.now() - began) / 1000
    const sorted = Float64Array.from(times).sort()
    return {
      turns: times.length,
      perSecond: times.length / elapsed,
      p50: percentile(sorted, 0.5),
      p99: percentile(sorted, 0.99)
    }
  }).pipe(Effect.provide(client(connections)))

serveRequests((load: BareLoad) => Effect.runPromise(run(load)))
