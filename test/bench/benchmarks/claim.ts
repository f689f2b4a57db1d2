import { randomUUID } from "node:crypto"
import { OrderingKeysRepository } from "@edp/server/destinations/delivery/OrderingKeysRepository"
import * as PostgresDatabase from "@edp/server/platform/sql/PostgresDatabase"
import * as Migrations from "@edp/server/platform/sql/Migrations"
import { Effect, Layer, Logger, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { startPostgres } from "../../support/PostgresServer.ts"
import { inTurns } from "../rounds.ts"
import { median } from "../statistics.ts"

const DESTINATIONS = 10
const FEW = 1000
const MANY = 1_000_000
const CLAIMS = 200
/** Keys of one claim: a single workspace gets half of the room. */
const KEYS = 64
const ROUNDS = 5

/** Ordering keys that are due, with one delivery each, of ten destinations. */
const seed = (sql: SqlClient.SqlClient, from: number, to: number) =>
  Effect.gen(function* () {
    yield* sql`INSERT INTO organizations VALUES ('o', 'Organization', now(), now()) ON CONFLICT DO NOTHING`
    yield* sql`INSERT INTO workspaces VALUES ('w', 'o', 'Workspace', false, 'UTC', now(), now()) ON CONFLICT DO NOTHING`
    yield* sql`INSERT INTO destinations (id, workspace_id, destination_type, event_types, after_sequence, created_at, updated_at)
      SELECT 'd' || d, 'w', 'WEBHOOK', '{DEVICE_UPDATED}', 0, now(), now()
      FROM generate_series(0, ${DESTINATIONS - 1}::int) d ON CONFLICT DO NOTHING`
    yield* sql`INSERT INTO delivery_queues (destination_id) SELECT 'd' || d FROM generate_series(0, ${DESTINATIONS - 1}::int) d
      ON CONFLICT DO NOTHING`
    yield* sql`INSERT INTO delivery_lanes (destination_id, lane, due_at, newest)
      SELECT 'd' || n % ${DESTINATIONS}::int, 'l' || n, now(), n FROM generate_series(${from}::int, ${to}::int) n`
    yield* sql`INSERT INTO deliveries (id, destination_id, subject, lane, sequence, event_id, event_type, created_at)
      SELECT 'i' || n, 'd' || n % ${DESTINATIONS}::int, 'l' || n, 'l' || n, n, 'e' || n, 'DEVICE_UPDATED', now()
      FROM generate_series(${from}::int, ${to}::int) n`
    for (const table of ["delivery_lanes", "deliveries"]) yield* sql`VACUUM ANALYZE ${sql(table)}`
  })

/** Milliseconds of a claim: the median of many. Each is released afterwards, so that the backlog stays. */
const claims = Effect.gen(function* () {
  const keys = yield* OrderingKeysRepository
  const holder = randomUUID()
  const times: Array<number> = []
  for (let turn = 0; turn < CLAIMS; turn++) {
    const claim = randomUUID()
    const began = performance.now()
    const taken = yield* keys.claim(claim, holder, { byDestination: [], each: 16, all: 2 * KEYS, byWorkspace: [] })
    times.push(performance.now() - began)
    if (taken.length !== KEYS) return yield* Effect.die(new Error(`claimed ${taken.length} keys`))
    yield* keys.release(taken.map((key) => ({ ...key, claim, isEmpty: false, dueAt: null, done: key.newest })))
  }
  return median(times)
})

const open = (url: string) =>
  ManagedRuntime.make(PostgresDatabase.layer({ databaseUrl: Redacted.make(url) }).pipe(Layer.provide(Logger.layer([]))))

const measure = async ({ note }: Setting): Promise<ReadonlyArray<Figure>> => {
  const postgres = await startPostgres()
  const [few, many] = [open(await postgres.createDatabase()), open(await postgres.createDatabase())]
  try {
    for (const [database, count] of [
      [few, FEW],
      [many, MANY]
    ] as const) {
      note(`a backlog of ${count} deliveries`)
      await database.runPromise(Migrations.run as Effect.Effect<unknown, never, SqlClient.SqlClient>)
      await database.runPromise(Effect.orDie(Effect.flatMap(SqlClient.SqlClient, (sql) => seed(sql, 1, count))))
      await database.runPromise(claims)
    }
    const results = await inTurns({ few: () => few.runPromise(claims), many: () => many.runPromise(claims) }, ROUNDS)
    return [
      {
        name: `a claim from a backlog of ${MANY} deliveries, against one of ${FEW}`,
        measured: median(results.many) / median(results.few),
        unit: "×",
        target: { atMost: 2 },
        behind: `${median(results.many).toFixed(2)} ms against ${median(results.few).toFixed(2)} ms`
      }
    ]
  } finally {
    await few.dispose()
    await many.dispose()
    await postgres.stop()
  }
}

/** The statement that every process repeats, whatever the backlog. */
export const claim: Benchmark = { name: "claim", run: measure }
