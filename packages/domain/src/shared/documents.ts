import { type JsonSchema, Schema } from "effect"

/** Says something in the OpenAPI document and checks nothing: for answers, whose values were checked when they came in. */
export const documents = <A = unknown>(keywords: JsonSchema.JsonSchema) =>
  Schema.makeFilter<A>(() => true, { toJsonSchema: () => [keywords, true] })

/** A check that JSON Schema has no word for; stating it keeps the field's description in the OpenAPI document. */
export const notExpressible = () => [{}, true] as const
