import type { Event } from "@edp/domain/events/Event"
import { eventWords } from "./eventWords.ts"

/** Two parts of a message in the alphabet of GSM, five in UCS-2. */
const LIMIT = 300

/** The message that tells of an event: its headline and when it happened, in UTC. */
export const smsOf = (event: Event): string => {
  const { headline } = eventWords(event)
  const time = ` (${event.timestamp.slice(0, 16).replace("T", " ")} UTC)`
  const room = LIMIT - time.length
  const shown = headline.length <= room ? headline : `${headline.slice(0, room - 3).toWellFormed()}...`
  return `${shown}${time}`
}
