import { type JsonSchema, Schema } from "effect"

/** Says something in the OpenAPI document and checks nothing: for answers, whose values were checked when they came in. */
export const documents = <A = unknown>(keywords: JsonSchema.JsonSchema) =>
  Schema.makeFilter<A>(() => true, { toJsonSchema: () => [keywords, true] })

/** A check that JSON Schema has no word for; stating it keeps the field's description in the OpenAPI document. */
export const notExpressible = () => [{}, true] as const

/** Marks a part of the document that stands in place of the schema that it is attached to. */
export const SHAPE = "x-shape"

/**
 * A value that `base`, made of `Schema.Any`, checks only in part: its type and its entry in the OpenAPI document are those of `shape`. It is for
 * what a schema alone can't check, because the rules depend on a stored record, or because an error must name one path
 * instead of every alternative.
 */
export const typedAs = <Shape extends Schema.Top>(
  shape: Shape,
  base: Schema.Codec<any, any>
): Schema.Codec<Shape["Encoded"]> =>
  base.check(
    Schema.makeFilter(() => true, {
      representation: { id: "edp/typedAs", payload: null, schemas: [shape.ast] },
      toJsonSchema: ({ schemas }) => [{ anyOf: [...schemas], [SHAPE]: true }, true]
    })
  ) as never
