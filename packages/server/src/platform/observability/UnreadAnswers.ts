import type { ServerResponse } from "node:http"
import { ServiceUnavailable } from "@edp/domain/errors/ApiErrors"
import { Context, Effect, Layer } from "effect"
import { ServerConfig } from "../config/ServerConfig.ts"

/** Smaller answers are left out of account: a connection has one at a time, and the system holds most of it. */
const LARGE = 64 * 1024
/** A caller who takes a large answer slower than this would hold its memory for ever, a byte now and then. */
const TAKEN_WITHIN_MS = 5 * 60_000
/** Of the memory there is. One key alone can't keep all others from large answers. */
const SHARE_OF_A_KEY = 0.5

/** Memory that an answer takes until its caller has read it. */
export interface Held {
  readonly resize: (bytes: number) => void
}

const nothing: Held = { resize: () => {} }

export const tooManyUnread = new ServiceUnavailable({
  message: "Too many large answers wait to be read; read those first, or try again later"
})

const makeUnreadAnswers = (most: number) => {
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
      Effect.suspend(() => (hasRoom(keyId, bytes) ? Effect.void : Effect.die(tooManyUnread)))
  }
}

/**
 * Bounds the bytes of large answers that were made for keys and not yet read. An answer that no other waits beside always
 * has room. What is the same bytes for everybody, and needs no key, takes none.
 */
export class UnreadAnswers extends Context.Service<
  UnreadAnswers,
  {
    /** Holds room for an answer until its response has closed; undefined when there is none. */
    readonly hold: (keyId: string | undefined, bytes: number, response: ServerResponse) => Held | undefined
    /** For those who make a large answer: dies with SERVICE_UNAVAILABLE where it would have no room. */
    readonly requireRoom: (keyId: string, bytes: number) => Effect.Effect<void>
  }
>()("@edp/server/platform/observability/UnreadAnswers") {
  static readonly layer = Layer.effect(
    UnreadAnswers,
    Effect.map(ServerConfig, ({ unreadAnswersMiB }) => makeUnreadAnswers(unreadAnswersMiB * 1024 * 1024))
  )
}
