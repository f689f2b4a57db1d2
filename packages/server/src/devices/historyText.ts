import { type PageOf, pageOf } from "@edp/domain/shared/Page"

/** A reading as it is stored. */
export interface ReadingText {
  readonly id: string
  readonly at: number
  /** JSON of an object. */
  readonly state: string
}

/**
 * A reading as it is answered. Its state goes from the database to the caller as it is: nobody reads it on the way, and
 * none has a field that is called like one of these.
 */
const textOf = ({ id, at, state }: ReadingText) =>
  `{"id":"${id}","createdAt":"${new Date(at).toISOString()}"${state === "{}" ? "}" : `,${state.slice(1)}`}`

const bodyOf = (readings: ReadonlyArray<ReadingText>, rest: object) =>
  `{"data":[${readings.map(textOf).join(",")}],${JSON.stringify(rest).slice(1)}`

/** A page with its totals, as JSON. */
export const pageText = (
  readings: ReadonlyArray<ReadingText>,
  page: number,
  perPage: number,
  total: number
): string => {
  const { data: _, ...totals }: PageOf<never> = pageOf([], page, perPage, total)
  return bodyOf(readings, totals)
}

/** A page of a cursor walk, as JSON. */
export const walkText = (readings: ReadonlyArray<ReadingText>, perPage: number): string => bodyOf(readings, { perPage })
