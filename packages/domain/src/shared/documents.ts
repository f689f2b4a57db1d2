import { type JsonSchema, Schema } from "effect"

/** Adds keywords to the OpenAPI document without a check: for responses, whose values were validated as input. */
export const documents = <A = unknown>(keywords: JsonSchema.JsonSchema) =>
  Schema.makeFilter<A>(() => true, { toJsonSchema: () => [keywords, true] })

/** For a check that JSON Schema can't express: without it the field's description is lost in the OpenAPI document. */
export const notExpressible = () => [{}, true] as const

/** Marks a part of the document that replaces the schema that it is attached to. */
export const SHAPE = "x-shape"

/**
 * A value with the type and the OpenAPI schema of `shape`, of which `base` checks only a part. It is for values that a schema
 * alone can't check, because the rules depend on a stored record, or because an error must name one path instead of every
 * alternative. `base` uses `Schema.Any` where it checks nothing.
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
