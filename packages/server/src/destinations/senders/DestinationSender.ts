import type { DestinationType } from "@edp/domain/destinations/Destination"
import type { KafkaConfig } from "@edp/domain/destinations/KafkaConfig"
import type { Event } from "@edp/domain/events/Event"
import type { Effect, Redacted } from "effect"

/** Where a sender sends to: a destination's settings with its secrets opened. */
export interface Target {
  readonly id: string
  readonly workspaceId: string
  readonly destinationType: DestinationType
  readonly label: string | null
  readonly url: Redacted.Redacted | null
  readonly email: string | null
  readonly phoneNumber: string | null
  readonly manufacturer: string | null
  /** The cluster; in place of its password stands the mask. */
  readonly kafkaConfig: KafkaConfig | null
  readonly kafkaPassword: Redacted.Redacted | null
  /** The destination's secret, and for 24 hours the one before it. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
}

/** What became of one try. */
export interface SendResult {
  readonly succeeded: boolean
  /** The receiver wants nothing any more. */
  readonly gone: boolean
  /** Sending it again cannot help. */
  readonly permanent: boolean
  readonly statusCode: number | null
  readonly error: string | null
  /** The first 1 KiB of the answer, as text. */
  readonly answer: string | null
  /** What the receiver asked to wait, in milliseconds. */
  readonly retryAfter: number | undefined
}

/** Delivers one event to one kind of destination. It never fails: what went wrong is a result. */
export interface DestinationSender {
  readonly send: (target: Target, event: Event) => Effect.Effect<SendResult>
  /** Why this server cannot send anything that way, such as a setting that is missing; absent when it can. */
  readonly unavailable?: string
}

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

/** What a Retry-After header asks for, in milliseconds from now: seconds or an HTTP date; undefined for anything else. */
export const askedPause = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  const text = header.trim()
  if (/^\d{1,9}$/u.test(text)) return Number(text) * 1000
  const date = /^[A-Z][a-z]{2},? /u.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
