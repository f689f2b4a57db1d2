import type { StreamMessage } from "@edp/domain/dashboard/StreamApi"
import { type Context, Effect, Layer } from "effect"
import { Atom, AtomRegistry, Reactivity } from "effect/reactivity"
import type { Position } from "./changeStream.ts"
import { connectionAtom } from "./connection.ts"
import { eventKeys } from "./liveKeys.ts"
import { countsAtom, deviceStateAtom, isFollowed } from "./liveState.ts"
import { EVERYTHING } from "./makeApi.ts"
import { whileInUse } from "./pageActivity.ts"
import { nowMillis } from "../state/now.ts"
import { sessionEnded, workspaceDoubted } from "./sessionEnd.ts"
import { followAlone, followShared } from "./sharedStream.ts"
import type { DeviceState, Present, StreamUser } from "./streamOwner.ts"
import { untilShownAgain } from "./visibility.ts"
import { hasLocks } from "./webLocks.ts"

/** A page that is hidden this long, in milliseconds, follows no more; one whose stream is not shared passes its connection on at once. */
const SHARED_HIDDEN_FOR_MS = 60_000
const OWN_HIDDEN_FOR_MS = 1000
/** Queries are read again at most this often, however many changes there are. */
const FIRST_READ_MS = 300
const READ_EVERY_MS = 2000
/** With more keys than this, all shown queries are read again. */
const MOST_KEYS = 200
/** A first snapshot later than this may contain changes that the first queries of the page do not have. */
const LATE_MS = 1500

/** Gives access to the service by which queries are read again. */
const runtimeAtom = Atom.runtime(Layer.empty)

/** Collects keys and reads their queries again, seldom enough for a service with many changes. */
export const makeInvalidation = (invalidate: (keys: ReadonlyArray<string>) => void) => {
  let waiting = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isResting = false
  const flush = () => {
    timer = undefined
    isResting = waiting.size > 0
    if (!isResting) return
    const due = waiting.size > MOST_KEYS ? [EVERYTHING] : [...waiting]
    waiting = new Set()
    timer = setTimeout(flush, READ_EVERY_MS)
    invalidate(due)
  }
  return {
    add: (keys: ReadonlyArray<string>) => {
      if (waiting.size <= MOST_KEYS) for (const key of keys) waiting.add(key)
      if (!isResting) timer ??= setTimeout(flush, FIRST_READ_MS)
    },
    end: () => clearTimeout(timer)
  }
}

/** Completes when the browser finds the network again. */
const whenOnlineAgain = Effect.callback<void>((resume) => {
  const isBack = () => resume(Effect.void)
  window.addEventListener("online", isBack, { once: true })
  return Effect.sync(() => window.removeEventListener("online", isBack))
})

/** Pages whose stream was started before, in a session that has ended: their queries are older than its next snapshot. */
const startedBefore = new WeakSet<AtomRegistry.AtomRegistry>()

/**
 * Starts to follow the chosen workspace, together with the other tabs of the browser that have the same scope: the session and the
 * workspace. Returns a function that ends it.
 */
export const startLive = (registry: AtomRegistry.AtomRegistry, scope: string): (() => void) => {
  const startedAt = nowMillis()
  const unmount = registry.mount(runtimeAtom)
  const position: Position = { lastEventId: undefined }
  let isFirst = !startedBefore.has(registry)
  startedBefore.add(registry)
  registry.set(countsAtom, undefined)

  const invalidation = makeInvalidation((keys) => {
    Effect.runFork(
      Effect.flatMap(AtomRegistry.getResult(registry, runtimeAtom), (services) =>
        Effect.provide(Reactivity.invalidate(keys), services as Context.Context<Reactivity.Reactivity>)
      )
    )
  })

  const showDevice = (device: DeviceState) => {
    if (isFollowed(device.deviceId)) registry.set(deviceStateAtom(device.deviceId), device)
  }
  const onPresent = ({ counts, devices }: Present, isMissing: boolean) => {
    registry.set(countsAtom, counts)
    devices.forEach(showDevice)
    if (!isMissing) return
    // The page may have missed changes, unless its queries are as young as the snapshot.
    if (!isFirst || nowMillis() - startedAt > LATE_MS) invalidation.add([EVERYTHING])
    isFirst = false
  }
  const onMessage = ({ data, event }: StreamMessage) => {
    if (event === "snapshot") return onPresent(data, true)
    isFirst = false
    if (data.kind === "counts") return registry.set(countsAtom, data.counts)
    if (data.kind === "event") return invalidation.add(eventKeys(data))
    showDevice(data)
  }

  const follow = () => {
    const closing = new AbortController()
    registry.set(connectionAtom, { kind: "connecting" })
    const user: StreamUser = {
      position,
      onMessage,
      onPresent,
      onConnection: (connection) => registry.set(connectionAtom, connection),
      onSignedOut: sessionEnded,
      onNotFound: workspaceDoubted,
      untilWorthwhile: Effect.raceFirst(whenOnlineAgain, untilShownAgain),
      closing: closing.signal
    }
    const fiber = Effect.runFork(hasLocks() ? followShared(user, scope) : followAlone(user))
    return () => {
      fiber.interruptUnsafe()
      closing.abort()
    }
  }

  const end = whileInUse(follow, hasLocks() ? SHARED_HIDDEN_FOR_MS : OWN_HIDDEN_FOR_MS)
  return () => {
    end()
    invalidation.end()
    unmount()
  }
}
