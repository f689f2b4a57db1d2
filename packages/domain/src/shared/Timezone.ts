import { Schema } from "effect"

const resolves = (name: string) => {
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions()
    return timeZone !== "" && /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}

/** Names that were found good. To find that out takes a tenth of a millisecond, and bulk requests have few of them many times. */
const found = new Set<string>()
/** There are some 600 names; letters of either case are taken, so there might be any number of spellings. */
const MOST_REMEMBERED = 1000

const isTimezone = (name: string) => {
  if (found.has(name)) return true
  const isGood = resolves(name)
  if (isGood && found.size < MOST_REMEMBERED) found.add(name)
  return isGood
}

const message = "Must be a time zone of the IANA database, such as America/Los_Angeles"

/** A time zone of the IANA database. */
export const Timezone = Schema.String.annotate({ message })
  .check(
    Schema.makeFilter((name: string) => isTimezone(name), {
      message,
      toJsonSchema: () => [{ pattern: "^[A-Za-z][A-Za-z0-9_+/-]*$", maxLength: 64 }, true]
    })
  )
  .annotate({ description: "Time zone of the IANA database", examples: ["America/Los_Angeles"] })
