import { Schema } from "effect"
import { notExpressible } from "./notExpressible.ts"

const isTimezone = (name: string) => {
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions()
    return timeZone !== "" && /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}

const message = "Must be a time zone of the IANA database, such as America/Los_Angeles"

/** A time zone of the IANA database. */
export const Timezone = Schema.String.annotate({ message })
  .check(Schema.makeFilter((name: string) => isTimezone(name), { message, toJsonSchema: notExpressible }))
  .annotate({ description: "Time zone of the IANA database", examples: ["America/Los_Angeles"] })
