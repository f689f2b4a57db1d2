import { Schema } from "effect"

type Fields = Readonly<Record<string, Schema.Codec<unknown, unknown>>>

/** What a merge patch may say of an object: any of its fields, null to take one away. The whole is checked once it is merged. */
export const patchOf = <F extends Fields>(fields: F) =>
  Schema.Struct(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, Schema.optionalKey(Schema.NullOr(field))])
    ) as { readonly [Name in keyof F]: Schema.optionalKey<Schema.NullOr<F[Name]>> }
  )
