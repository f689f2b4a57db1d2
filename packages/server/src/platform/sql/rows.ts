import { Timestamp } from "@edp/domain/shared/Timestamps"
import { Effect, Schema, SchemaGetter } from "effect"
import { iso } from "./records.ts"

/** A `timestamptz` column whose dates are read as the text that the API returns. */
export const TimestampColumn = Schema.Date.pipe(
  Schema.decodeTo(Timestamp, {
    decode: SchemaGetter.transform(iso),
    encode: SchemaGetter.transform((text: string) => new Date(text))
  })
)

/** The columns of records that can change. */
export const timestampColumns = { createdAt: TimestampColumn, updatedAt: TimestampColumn }

/**
 * Decodes the rows of a statement; a row that does not fit its schema is a defect. `SqlSchema.findAll` does the same for statements with
 * a schema of their parameters, which the typed methods of repositories do not need.
 */
export const decodeRows = <Row extends Schema.Codec<unknown, unknown>>(row: Row) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(row))
  return <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>): Effect.Effect<ReadonlyArray<Row["Type"]>, E, R> =>
    Effect.flatMap(rows, (found) => Effect.orDie(decode(found)))
}
