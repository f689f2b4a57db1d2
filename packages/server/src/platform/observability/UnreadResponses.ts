import type { ServerResponse } from "node:http"
import { ServiceUnavailable } from "@edp/domain/errors/ApiErrors"
import { Context, Effect, Layer } from "effect"
import { ServerConfig } from "../config/ServerConfig.ts"

/** Smaller responses are not counted: a connection has one at a time, and the system buffers most of it. */
const LARGE = 64 * 1024
/** Milliseconds within which a large response must be read: a caller could hold its memory for ever. */
const TAKEN_WITHIN_MS = 5 * 60_000
/** The share of the memory that one key may use, so that it cannot keep all others from large responses. */
const SHARE_OF_A_KEY = 0.5

/** Memory of a response until its caller has read it. */
export interface Held {
  readonly resize: (bytes: number) => void
}

const nothing: Held = { resize: () => {} }

export const tooManyUnread = new ServiceUnavailable({
  message: "Too many large responses are unread; read them first, or try again later"
})

const makeUnreadResponses = (most: number) => {
  let total = 0
  const byKey = new Map<string, number>()

  const add = (keyId: string, bytes: number) => {
    total += bytes
    const held = (byKey.get(keyId) ?? 0) + bytes
    if (held === 0) byKey.delete(keyId)
    else byKey.set(keyId, held)
  }

  const hasRoom = (keyId: string, bytes: number) => {
    const held = byKey.get(keyId) ?? 0
    const fits = (total === 0 || total + bytes <= most) && (held === 0 || held + bytes <= most * SHARE_OF_A_KEY)
    return bytes < LARGE || fits
  }

  const hold = (keyId: string | undefined, bytes: number, response: ServerResponse): Held | undefined => {
    if (keyId === undefined || bytes < LARGE || response.destroyed) return nothing
    if (!hasRoom(keyId, bytes)) return undefined
    let holds = bytes
    let over = false
    const resize = (size: number) => {
      if (over) return
      add(keyId, size - holds)
      holds = size
    }
    add(keyId, bytes)
    const late = setTimeout(() => response.destroy(), TAKEN_WITHIN_MS).unref()
    response.once("close", () => {
      clearTimeout(late)
      resize(0)
      over = true
    })
    return { resize }
  }

  return {
    hold,
    requireRoom: (keyId: string, bytes: number) =>
      Effect.suspend(() => (hasRoom(keyId, bytes) ? Effect.void : Effect.fail(tooManyUnread)))
  }
}

/**
 * Limits the bytes of large responses that are not yet read. A single response always has room. Static files, which are the same bytes for all
 * callers, are not counted.
 */
export class UnreadResponses extends Context.Service<
  UnreadResponses,
  {
    /** Reserves room for a response until its response has closed; undefined if there is none. */
    readonly hold: (keyId: string | undefined, bytes: number, response: ServerResponse) => Held | undefined
    /** Before a large response is computed: fails if it has no room. */
    readonly requireRoom: (keyId: string, bytes: number) => Effect.Effect<void, ServiceUnavailable>
  }
>()("@edp/server/platform/observability/UnreadResponses") {
  static readonly layer = Layer.effect(
    UnreadResponses,
    Effect.map(ServerConfig, ({ unreadResponsesMiB }) => makeUnreadResponses(unreadResponsesMiB * 1024 * 1024))
  )
}
