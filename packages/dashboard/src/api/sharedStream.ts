import type { StreamMessage } from "@edp/domain/dashboard/StreamApi"
import { Effect } from "effect"
import type { Connection } from "./connection.ts"
import { followedDevices, MOST_FOLLOWED, onFollowed } from "./liveState.ts"
import { makeStreamOwner, type Present, type StreamUser } from "./streamOwner.ts"
import { nowMillis } from "../state/now.ts"
import { untilShownAgain } from "./visibility.ts"
import { withLock } from "./webLocks.ts"

/** A message between tabs. `tab` is who sends it, `to` whom it is for. */
type Note =
  /** Sent by a tab that takes part, again and again: the devices that it follows. */
  | { readonly kind: "here"; readonly tab: string; readonly devices: ReadonlyArray<string> }
  | { readonly kind: "leave"; readonly tab: string }
  /** A tab has become the one with the stream, and wants to know who takes part. */
  | { readonly kind: "leads" }
  /** The response to "here": how far the stream is, and the present. */
  | {
      readonly kind: "present"
      readonly to: string
      readonly lastEventId: string | undefined
      readonly present: Present | undefined
      readonly connection: Connection
    }
  /** The stream has no room for the devices of a tab, which needs its own one. */
  | { readonly kind: "full"; readonly to: string }
  | { readonly kind: "message"; readonly message: StreamMessage }
  | { readonly kind: "connection"; readonly connection: Connection }
  | { readonly kind: "signed-out" }
  | { readonly kind: "not-found" }

/** A tab that takes part says so this often; without a response within the time, another tab takes the stream over. */
const HERE_EVERY = "30 seconds"
const RESPONSE_WITHIN = "10 seconds"
/** A tab that has said nothing for so long is gone, in milliseconds. */
const GONE_AFTER_MS = 150_000

/**
 * Browsers open six connections to a service over HTTP/1.1, whatever the number of tabs. Streams take four of them at most: those of
 * different workspaces and sessions.
 */
const SLOTS = Array.from({ length: 4 }, (_, n) => `edp stream ${n}`)
/** A page that is shown takes a connection over from another one after this time. */
const SLOT_WITHIN = "2 seconds"

const build = new URL(import.meta.url).pathname

/** Holds one of the connections that streams may take while it runs something. */
const inSlot = (use: Effect.Effect<never>, closing: AbortSignal): Effect.Effect<never> => {
  const attempt = (untilSteal: Effect.Effect<void>) => withLock({ names: SLOTS, use, untilSteal, closing })
  // The page that was shown last keeps the connection: it is not taken back at once.
  const again: Effect.Effect<never> = Effect.suspend(() =>
    attempt(untilShownAgain).pipe(
      Effect.catchTag("LockLost", () => again),
      Effect.catchTag("NoLocks", () => use)
    )
  )
  return attempt(Effect.sleep(SLOT_WITHIN)).pipe(
    Effect.catchTag("LockLost", () => again),
    Effect.catchTag("NoLocks", () => use)
  )
}

/** Follows the changes by a stream that no other tab uses. */
export const followAlone = (user: StreamUser): Effect.Effect<never> => makeStreamOwner(user).run

/**
 * Follows the changes by a stream that all tabs of the browser with this scope share. One of them, which holds a lock, has the stream
 * and tells the others what comes. When it is closed, left or hidden for long, the next one goes on after the last message that it got.
 */
export const followShared = (user: StreamUser, scope: string): Effect.Effect<never> =>
  Effect.suspend(() => {
    const name = `edp stream ${build} ${scope}`
    const tab = crypto.randomUUID()
    const channel = new BroadcastChannel(name)
    const members = new Map<string, { readonly devices: ReadonlyArray<string>; readonly heardAt: number }>()
    let isLeader = false
    let isAnswered = false
    let resumeApart: (() => void) | undefined

    const tell = (note: Note) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin and takes none
      if (!user.closing.aborted) channel.postMessage(note)
    }
    const sayHere = () => tell({ kind: "here", tab, devices: followedDevices() })

    const owner = makeStreamOwner(user, () => [...members.values()].flatMap(({ devices }) => devices), {
      onMessage: (message) => tell({ kind: "message", message }),
      onConnection: (connection) => tell({ kind: "connection", connection }),
      onSignedOut: () => tell({ kind: "signed-out" }),
      onNotFound: () => tell({ kind: "not-found" })
    })

    const welcome = (member: string, devices: ReadonlyArray<string>) => {
      const now = nowMillis()
      members.delete(member)
      for (const [each, { heardAt }] of members) if (now - heardAt > GONE_AFTER_MS) members.delete(each)
      const others = [...members.values()].flatMap((each) => each.devices)
      if (new Set([...followedDevices(), ...others, ...devices]).size > MOST_FOLLOWED) {
        return tell({ kind: "full", to: member })
      }
      members.set(member, { devices, heardAt: now })
      owner.refollow()
      const { lastEventId } = user.position
      tell({
        kind: "present",
        to: member,
        lastEventId,
        present: owner.present(devices),
        connection: owner.connection()
      })
    }

    const receiveAsLeader = (note: Note) => {
      if (note.kind === "here") welcome(note.tab, note.devices)
      else if (note.kind === "leave") members.delete(note.tab)
    }
    const receiveAsMember = (note: Note) => {
      if (note.kind === "leads") return sayHere()
      if (note.kind === "connection") return user.onConnection(note.connection)
      if (note.kind === "signed-out") return user.onSignedOut()
      if (note.kind === "not-found") return user.onNotFound()
      if (note.kind === "message") {
        user.position.lastEventId = note.message.id ?? user.position.lastEventId
        return user.onMessage(note.message)
      }
      if (!("to" in note) || note.to !== tab) return
      isAnswered = true
      if (note.kind === "full") return resumeApart?.()
      user.onConnection(note.connection)
      if (note.present === undefined) return
      const isMissing = user.position.lastEventId !== note.lastEventId
      user.position.lastEventId = note.lastEventId
      user.onPresent(note.present, isMissing)
    }
    channel.addEventListener("message", ({ data }: MessageEvent<Note>) => {
      if (isLeader) receiveAsLeader(data)
      else receiveAsMember(data)
    })

    const lead = Effect.suspend(() => {
      isLeader = true
      members.clear()
      tell({ kind: "leads" })
      return inSlot(owner.run, user.closing)
    }).pipe(Effect.ensuring(Effect.sync(() => (isLeader = false))))

    /** Completes when the tab with the stream does not respond: it hangs, or the browser has frozen it. */
    const untilUnanswered: Effect.Effect<void> = Effect.suspend(() => {
      isAnswered = false
      sayHere()
      return Effect.andThen(
        Effect.sleep(RESPONSE_WITHIN),
        Effect.suspend(() =>
          !isAnswered && document.visibilityState === "visible"
            ? Effect.void
            : Effect.andThen(Effect.raceFirst(Effect.sleep(HERE_EVERY), untilShownAgain), untilUnanswered)
        )
      )
    })

    const takeTurns: Effect.Effect<never> = Effect.suspend(() => {
      user.onConnection({ kind: "connecting" })
      return withLock({ names: [name], use: lead, untilSteal: untilUnanswered, closing: user.closing })
    }).pipe(
      Effect.catchTag("LockLost", () => takeTurns),
      Effect.catchTag("NoLocks", () => followAlone(user))
    )

    const apart = Effect.callback<void>((resume) => {
      resumeApart = () => {
        tell({ kind: "leave", tab })
        resume(Effect.void)
      }
    })

    const leave = () => {
      tell({ kind: "leave", tab })
      channel.close()
    }
    const endFollowing = onFollowed(() => !isLeader && sayHere())
    user.closing.addEventListener("abort", () => channel.close())
    return Effect.raceFirst(takeTurns, apart).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          endFollowing()
          leave()
        })
      ),
      Effect.andThen(inSlot(followAlone(user), user.closing))
    )
  })
