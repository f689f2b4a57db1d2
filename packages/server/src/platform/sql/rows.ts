import { Timestamp } from "@edp/domain/shared/Timestamps"
import { Effect, Schema, SchemaGetter } from "effect"
import { iso } from "./records.ts"
import { type Settled, query } from "./transaction.ts"

/** A `timestamptz` column whose dates are read as the text that the API returns. */
export const TimestampColumn = Schema.Date.pipe(
  Schema.decodeTo(Timestamp, {
    decode: SchemaGetter.transform(iso),
    encode: SchemaGetter.transform((text: string) => new Date(text))
  })
)

/** The columns of records that can change. */
export const timestampColumns = { createdAt: TimestampColumn, updatedAt: TimestampColumn }

const isJson = (value: unknown) =>
  value !== null && ["object", "string", "number", "boolean"].includes(typeof value) && !(value instanceof Date)

/**
 * A column of JSON, other than null, that this service wrote after checking it. Its contents are trusted: rows of earlier versions keep
 * the form that their version wrote.
 */
export const JsonColumn = <A>() => Schema.declare((value: unknown): value is A => isJson(value), { expected: "JSON" })

/** The row of a statement that finds ids. */
export const IdRow = Schema.Struct({ id: Schema.String })

/** The row of a statement that counts, or returns another number. */
export const CountRow = Schema.Struct({ n: Schema.Finite })

/** A row of a list that carries the total of the list. */
export const countedRow = <Fields extends Schema.Struct.Fields>(row: Schema.Struct<Fields>) =>
  Schema.Struct({ ...row.fields, total: Schema.Finite })

type RowSchema = Schema.Codec<unknown, unknown>
type Decode<Row> = <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>) => Effect.Effect<ReadonlyArray<Row>, E, R>

/** The rules of the API hold when values are stored. Rows are checked for the types of their columns. */
const typesAlone = { disableChecks: true }

const decoders = new WeakMap<RowSchema, Decode<unknown>>()

/**
 * Decodes the rows of a statement; a row that does not fit its schema is a defect. `SqlSchema.findAll` does the same for statements with
 * a schema of their parameters, which the typed methods of repositories do not need. A schema's decoder is made once.
 */
export const decodeRows = <Row extends RowSchema>(row: Row): Decode<Row["Type"]> => {
  const known = decoders.get(row)
  if (known !== undefined) return known as Decode<Row["Type"]>
  const decode = Schema.decodeUnknownEffect(Schema.Array(row), typesAlone)
  const made: Decode<Row["Type"]> = (rows) => Effect.flatMap(rows, (found) => Effect.orDie(decode(found)))
  decoders.set(row, made)
  return made
}

type Statement<A, E, R> = Effect.Effect<ReadonlyArray<A>, E, R>

/** Runs a single statement, as `query` does, and decodes its rows. */
export const queryRows =
  <Row extends RowSchema>(row: Row) =>
  <E, R>(rows: Statement<unknown, E, R>): Statement<Row["Type"], Settled<E>, R> =>
    query(decodeRows(row)(rows))

/** Runs a statement that returns a number as `n` of its only row. */
export const queryCount = <E, R>(rows: Statement<unknown, E, R>) =>
  Effect.map(queryRows(CountRow)(rows), ([row]) => row!.n)

/** Runs a statement that finds ids. */
export const queryIds = <E, R>(rows: Statement<unknown, E, R>) =>
  Effect.map(queryRows(IdRow)(rows), (found) => found.map(({ id }) => id))
