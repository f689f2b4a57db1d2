import type { SendResult } from "./DestinationSender.ts"

/** So many bytes of an answer are shown. */
const SHOWN = 1024

/** The beginning of an answer for people: what is no text shows as such, and NUL cannot be stored. */
export const shownBody = (body: Uint8Array): string | null => {
  const text = Buffer.from(body.subarray(0, SHOWN)).toString("utf8").replaceAll("\0", "\uFFFD")
  return text === "" ? null : text
}

/** What callers learn of an exception in the platform itself. */
export const NOT_SENT = "The platform could not send it"

/** A try that got no answer, for the reason given; it is made again later. */
export const unanswered = (error: string): SendResult => ({
  succeeded: false,
  gone: false,
  permanent: false,
  statusCode: null,
  error,
  answer: null,
  retryAfter: undefined
})
