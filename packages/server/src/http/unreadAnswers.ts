import type { ServerResponse } from "node:http"

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

/**
 * Bounds the bytes of large answers that were made for a key's caller and not yet taken. An answer that no other waits
 * beside always has room.
 */
export const unreadAnswers = (most: number) => {
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
    return (total === 0 || total + bytes <= most) && (held === 0 || held + bytes <= most * SHARE_OF_A_KEY)
  }

  /** Holds room for an answer until its response has closed; undefined when there is none. */
  return (keyId: string | undefined, bytes: number, response: ServerResponse): Held | undefined => {
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
}
