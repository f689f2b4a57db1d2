import type { OpenAdrEvent, OpenAdrProgram } from "@edp/domain/openadr/OpenAdrObjects"
import { Schema } from "effect"
import { JsonColumn } from "../../platform/sql/rows.ts"

const text = Schema.String
const orNull = Schema.NullOr

export const ServedProgramRow = Schema.Struct({ id: text, name: text, body: JsonColumn<OpenAdrProgram>() })
export type ServedProgramRow = typeof ServedProgramRow.Type

export const ServedEventRow = Schema.Struct({
  id: text,
  programId: text,
  dispatchId: orNull(text),
  priority: orNull(Schema.Finite),
  targets: Schema.Array(text),
  body: JsonColumn<OpenAdrEvent>(),
  createdAt: Schema.Date,
  modifiedAt: Schema.Date
})
export type ServedEventRow = typeof ServedEventRow.Type
