import type { DestinationType } from "@edp/domain/destinations/Destination"
import type { KafkaConfig } from "@edp/domain/destinations/KafkaConfig"
import type { Event } from "@edp/domain/events/Event"
import type { Effect, Redacted } from "effect"

/** A destination's settings with its secrets opened. */
export interface Target {
  readonly id: string
  readonly workspaceId: string
  readonly destinationType: DestinationType
  readonly label: string | null
  readonly url: Redacted.Redacted | null
  readonly email: string | null
  readonly phoneNumber: string | null
  readonly manufacturer: string | null
  /** The cluster, with the mask instead of its password. */
  readonly kafkaConfig: KafkaConfig | null
  readonly kafkaPassword: Redacted.Redacted | null
  /** The signing secret, and for 24 hours after a rotation the previous one. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
}

/** The result of one attempt. */
export interface SendResult {
  readonly succeeded: boolean
  /** The receiver answered 410: it wants no more events. */
  readonly gone: boolean
  /** A retry cannot succeed. */
  readonly permanent: boolean
  readonly statusCode: number | null
  readonly error: string | null
  /** The first 1 KiB of the response, as text. */
  readonly response: string | null
  /** The pause that the receiver requested, in milliseconds. */
  readonly retryAfter: number | undefined
}

/** Sends an event to one type of destination. It never fails: an error is a result. */
export interface DestinationSender {
  readonly send: (target: Target, event: Event) => Effect.Effect<SendResult>
  /** Why this server cannot send this type, such as a missing setting; absent when it can. */
  readonly unavailable?: string
}

/** Bytes of a response that are shown. */
const SHOWN = 1024

/** The beginning of a response as text. NUL is replaced because PostgreSQL cannot store it. */
export const shownBody = (body: Uint8Array): string | null => {
  const text = Buffer.from(body.subarray(0, SHOWN)).toString("utf8").replaceAll("\0", "\uFFFD")
  return text === "" ? null : text
}

/** Shown to callers for an exception in the platform itself. */
export const NOT_SENT = "The platform could not send the request"

/** An attempt without a response. It is retried. */
export const unanswered = (error: string): SendResult => ({
  succeeded: false,
  gone: false,
  permanent: false,
  statusCode: null,
  error,
  response: null,
  retryAfter: undefined
})

/** The delay of a Retry-After header, in milliseconds from now: seconds or an HTTP date; undefined for any other value. */
export const askedPause = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  const text = header.trim()
  if (/^\d{1,9}$/u.test(text)) return Number(text) * 1000
  const date = /^[A-Z][a-z]{2},? /u.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
