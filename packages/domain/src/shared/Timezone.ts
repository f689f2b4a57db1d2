import { Schema } from "effect"

const isTimezone = (name: string) => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined && /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}

const message = "Must be a time zone of the IANA database, such as America/Los_Angeles"

/** A time zone of the IANA database. */
export const Timezone = Schema.String.annotate({ message })
  .check(Schema.makeFilter((name: string) => isTimezone(name), { message }))
  .annotate({ description: "Time zone of the IANA database", examples: ["America/Los_Angeles"] })
