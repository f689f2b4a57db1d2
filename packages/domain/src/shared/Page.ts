import { Schema, SchemaAST, SchemaGetter } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { documents } from "./documents.ts"
import { StoredText, Text } from "./Text.ts"

/** A query parameter that is an integer between the bounds. The message also applies to a repeated parameter. */
const integerText = (
  minimum: number,
  maximum: number,
  message: string,
  notes: { readonly description: string; readonly default?: number }
) => {
  const value = Schema.Int.annotate({ message })
    .check(Schema.isBetween({ minimum, maximum }, { message }))
    .annotate(notes)
  return Schema.optionalKey(
    Schema.String.annotate({ message }).pipe(
      Schema.decodeTo(value, {
        decode: SchemaGetter.transform((text: string) => (/^\d+$/.test(text) ? Number(text) : Number.NaN)),
        encode: SchemaGetter.transform(String)
      })
    )
  )
}

/** An integer query parameter with a default. */
export const integer = (minimum: number, maximum: number, fallback: number, description: string) =>
  integerText(minimum, maximum, `Must be an integer from ${minimum} to ${maximum}`, { description, default: fallback })

/** An integer query parameter without a maximum and without a default. */
export const integerFrom = (minimum: number, description: string) =>
  integerText(minimum, Number.MAX_SAFE_INTEGER, `Must be an integer of at least ${minimum}`, { description })

const MAX_PAGE = 1000
const MAX_PER_PAGE = 100
export const CURSOR_MAX_LENGTH = 200

/** Paging of every list: `page` 1 to 1000 (default 1), `perPage` 1 to 100. */
export const paging = (perPage = 10) => ({
  page: integer(1, MAX_PAGE, 1, "Number of the page, starting at 1"),
  perPage: integer(1, MAX_PER_PAGE, perPage, "Number of records per page")
})

/** Paging of large lists: besides `page`, a `cursor` whose cost does not grow with depth. */
export const cursorPaging = {
  ...paging(),
  cursor: Schema.optionalKey(
    Text(1, CURSOR_MAX_LENGTH).annotate({
      description:
        "Opaque position from the X-Next-Cursor header of the previous response. `page` must be absent, and the response has no totals"
    })
  )
}

const records = <S extends Schema.Top>(item: S) => Schema.Array(item).check(documents({ maxItems: MAX_PER_PAGE }))

const count = (description: string, minimum = 0, maximum = Number.MAX_SAFE_INTEGER) =>
  Schema.Int.check(documents({ minimum, maximum })).annotate({ description })

const perPage = count("Number of records per page", 1, MAX_PER_PAGE)

const page = count("Number of this page, starting at 1", 1, MAX_PAGE)
const totalItems = count("Number of matching records on all pages")
const totalPages = count("Number of pages")

const noun = (name: string) => name.replace(/(.)([A-Z])/g, "$1 $2").toLowerCase()

/** The name and the description of a list's component. */
const notes = (item: Schema.Top, more: string) => {
  const name = SchemaAST.resolveIdentifier(item.ast)!
  return { identifier: `${name}Page`, description: `A page of ${noun(name)} records${more}` }
}

/** The page of a list without cursors. */
export const Page = <S extends Schema.Top>(item: S) =>
  Schema.Struct({ data: records(item), page, perPage, totalItems, totalPages }).annotate(notes(item, ""))

/** The page of a list with cursors. A page requested by `cursor` has neither a number nor totals. */
export const CursorPage = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    data: records(item),
    page: Schema.optionalKey(page),
    perPage,
    totalItems: Schema.optionalKey(totalItems),
    totalPages: Schema.optionalKey(totalPages)
  }).annotate(notes(item, "; `page`, `totalItems` and `totalPages` are absent when it was requested with `cursor`"))

/** A page with the cursor of the next one in a header. */
export const withNextCursor = <S extends Schema.Top>(page: S) =>
  HttpApiSchema.WithHeaders(page, {
    "x-next-cursor": Schema.optionalKey(
      StoredText(CURSOR_MAX_LENGTH).annotate({ description: "Cursor of the next page; absent on the last page" })
    )
  })

/** Fields of the envelope besides data. */
export interface PageOf<A> {
  readonly data: ReadonlyArray<A>
  readonly page: number
  readonly perPage: number
  readonly totalItems: number
  readonly totalPages: number
}

export const makePage = <A>(data: ReadonlyArray<A>, page: number, perPage: number, totalItems: number): PageOf<A> => ({
  data,
  page,
  perPage,
  totalItems,
  totalPages: Math.ceil(totalItems / perPage)
})

const few = Schema.isMaxLength(100, { message: "Must be at most 100 values" })

/** A filter with several values: a repeated parameter or a comma-separated list. A record must match one of them. */
export const Several = <S extends Schema.Codec<string, string>>(item: S) =>
  Schema.Array(Schema.String).pipe(
    Schema.decodeTo(Schema.Array(item).check(few), {
      decode: SchemaGetter.transform(
        (texts: ReadonlyArray<string>) => texts.flatMap((text) => text.split(",")) as ReadonlyArray<S["Encoded"]>
      ),
      encode: SchemaGetter.transform((texts: ReadonlyArray<S["Encoded"]>) => texts as ReadonlyArray<string>)
    })
  )

/** A comma within a value is escaped as `\\,`. */
const parted = (text: string) => text.split(/(?<!\\),/).map((part) => part.replaceAll("\\,", ","))

/** The values of a comma-separated list, and the whole text if it can be a value: references may contain commas. */
const parseReferences = (maximum: number) => (text: string) => {
  const parts = parted(text)
  if (parts.length === 1) return parts
  const isPossible = text.length <= 2 * maximum && [...text].length <= maximum
  return isPossible ? [...parts.filter((part) => part !== ""), text] : parts
}

/** Like `Several`, for values that may contain unescaped commas. */
export const SeveralReferences = (maximum: number) =>
  Schema.Array(Schema.String).pipe(
    Schema.decodeTo(Schema.Array(Text(1, maximum)).check(few), {
      decode: SchemaGetter.transform((texts: ReadonlyArray<string>) => texts.flatMap(parseReferences(maximum))),
      encode: SchemaGetter.transform((texts: ReadonlyArray<string>) => texts.map((text) => text.replaceAll(",", "\\,")))
    })
  )
