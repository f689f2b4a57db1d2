import { Schema, SchemaGetter } from "effect"
import { documents } from "./documents.ts"

/** The part of ECMAScript's Temporal that is used here; typed by hand because browsers' type libraries lack it. */
interface Temporal {
  readonly Instant: {
    readonly fromEpochMilliseconds: (at: number) => {
      readonly toZonedDateTimeISO: (name: string) => Zoned
    }
  }
}

interface Zoned {
  readonly timeZoneId: string
  readonly equals: (other: never) => boolean
}

const { Temporal: temporal } = globalThis as { readonly Temporal?: Temporal }

/** An offset such as +02:00 is a time zone for Temporal, but is not in the IANA database. */
const isName = (name: string) => /^[A-Za-z]/.test(name) && name.length <= 64

const zoned = (name: string) => temporal!.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)

/** Runtimes without Temporal (of clients only) can indicate whether a zone exists, but not its canonical spelling. */
const spelling = (name: string) => {
  if (temporal !== undefined) return zoned(name).timeZoneId
  const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions()
  return timeZone === "" ? undefined : name
}

const resolve = (name: string) => {
  if (!isName(name)) return undefined
  try {
    return spelling(name)
  } catch {
    return undefined
  }
}

/** Resolving a name takes a tenth of a millisecond, and bulk requests repeat a few names many times. */
const known = new Map<string, string>()
/** There are some 600 names, in any mixture of upper and lower case. */
const MOST_REMEMBERED = 1000

/**
 * The spelling of the IANA database (`Europe/Berlin` for `europe/berlin`), or undefined if times can't be computed in the
 * zone. Temporal decides, because it is used for the computation, and it accepts fewer names than Intl. A link such as
 * US/Pacific keeps its name.
 */
export const canonicalTimezone = (name: string): string | undefined => {
  const found = known.get(name) ?? resolve(name)
  if (found !== undefined && known.size < MOST_REMEMBERED) known.set(name, found)
  return found
}

/** Whether both names mean the same zone: US/Pacific is a link to America/Los_Angeles. */
export const isSameTimezone = (one: string, other: string): boolean => {
  const [first, second] = [canonicalTimezone(one), canonicalTimezone(other)]
  if (first === undefined || second === undefined || first === second) return one === other || first === second
  return temporal !== undefined && zoned(first).equals(zoned(second) as never)
}

const message = "Must be a time zone of the IANA database, such as America/Los_Angeles"
const PATTERN = { pattern: "^[A-Za-z][A-Za-z0-9_+/-]*$", maxLength: 64 }
const annotations = { description: "Time zone of the IANA database", examples: ["America/Los_Angeles"] as const }

/** An input time zone of the IANA database, case-insensitive; it decodes to the spelling of the database. */
export const timezoneInput = (notes: { readonly description?: string; readonly default?: string } = {}) =>
  Schema.String.annotate({ message })
    .check(
      Schema.makeFilter((name: string) => canonicalTimezone(name) !== undefined, {
        message,
        toJsonSchema: () => [PATTERN, true]
      })
    )
    .annotate({ ...annotations, ...notes })
    .pipe(
      Schema.decodeTo(Schema.String, {
        decode: SchemaGetter.transform((name: string) => canonicalTimezone(name) ?? name),
        encode: SchemaGetter.passthrough()
      })
    )

/** A time zone in a response. A client does not check it: the service may know zones that the client's runtime doesn't. */
export const Timezone = Schema.String.check(documents(PATTERN)).annotate(annotations)
