import { type PageOf, pageOf } from "@edp/domain/shared/Page"

/** A reading as it is stored. */
export interface ReadingText {
  readonly id: string
  readonly at: number
  /** JSON of an object. */
  readonly state: string
}

type Timestamp = (at: number) => string

const DAY = 86_400_000

const digits = (count: number) => Array.from({ length: 10 ** count }, (_, value) => `${value}`.padStart(count, "0"))
const [two, three] = [digits(2), digits(3)]

/**
 * Writes instants as `Date` does, which takes most of the time that a page's text takes. Readings next to each other are
 * mostly of one day, whose date is made once.
 */
export const timestamps = (): Timestamp => {
  let day = Number.NaN
  let date = ""
  return (at) => {
    if (Math.floor(at / DAY) !== day) {
      day = Math.floor(at / DAY)
      date = new Date(at).toISOString().slice(0, -13)
    }
    const within = at - day * DAY
    const seconds = Math.floor(within / 1000)
    const [hour, minute] = [two[Math.floor(seconds / 3600)]!, two[Math.floor(seconds / 60) % 60]!]
    return `${date}${hour}:${minute}:${two[seconds % 60]!}.${three[within % 1000]!}Z`
  }
}

/**
 * A reading as it is answered. Its state goes from the database to the caller as it is: nobody reads it on the way, and
 * none has a field that is called like one of these.
 */
const textOf = ({ id, at, state }: ReadingText, timestamp: Timestamp) =>
  `{"id":"${id}","createdAt":"${timestamp(at)}"${state === "{}" ? "}" : `,${state.slice(1)}`}`

const bodyOf = (readings: ReadonlyArray<ReadingText>, rest: object) => {
  const timestamp = timestamps()
  const data = readings.map((reading) => textOf(reading, timestamp))
  return `{"data":[${data.join(",")}],${JSON.stringify(rest).slice(1)}`
}

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
