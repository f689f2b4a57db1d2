import type { StreamMessage } from "@edp/domain/dashboard/StreamApi"
import { type Context, Effect, Fiber, Layer } from "effect"
import { Atom, AtomRegistry, Reactivity } from "effect/reactivity"
import { followChanges } from "./changeStream.ts"
import { connectionAtom } from "./connection.ts"
import { eventKeys } from "./liveKeys.ts"
import { countsAtom, deviceStateAtom, followedDevices, onFollowed } from "./liveState.ts"
import { EVERYTHING } from "./makeApi.ts"
import { pageHeaders } from "./pageHeaders.ts"
import { nowMillis } from "../state/now.ts"
import { sessionEnded, workspaceDoubted } from "./sessionEnd.ts"

/** A page that is hidden this long lets go of its stream: browsers open few connections to one service. */
const HIDDEN_FOR = "1 minute"
/** Queries are read again at most this often, however many changes there are. */
const FIRST_READ_MS = 300
const READ_EVERY_MS = 2000
/** With more keys than this, all shown queries are read again. */
const MOST_KEYS = 200
/** A first snapshot later than this may contain changes that the first queries of the page do not have. */
const LATE_MS = 1500
/** Components of a page follow their devices one after another. */
const FOLLOW_WITHIN = "250 millis"

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

/** Completes once the page is hidden, or shown; at once if it is. */
const whenVisibilityIs = (state: DocumentVisibilityState) =>
  Effect.callback<void>((resume) => {
    const check = () => {
      if (document.visibilityState === state) resume(Effect.void)
    }
    document.addEventListener("visibilitychange", check)
    check()
    return Effect.sync(() => document.removeEventListener("visibilitychange", check))
  })

const whenShown = whenVisibilityIs("visible")
const whenHidden = whenVisibilityIs("hidden")

/** Completes when the browser finds the network again. */
const whenOnlineAgain = Effect.callback<void>((resume) => {
  const isBack = () => resume(Effect.void)
  window.addEventListener("online", isBack, { once: true })
  return Effect.sync(() => window.removeEventListener("online", isBack))
})

const hiddenForLong: Effect.Effect<void> = Effect.suspend(() =>
  whenHidden.pipe(
    Effect.andThen(Effect.raceFirst(Effect.as(Effect.sleep(HIDDEN_FOR), true), Effect.as(whenShown, false))),
    Effect.flatMap((isLong) => (isLong ? Effect.void : hiddenForLong))
  )
)

/** Pages whose stream was started before, in a session that has ended: their queries are older than its next snapshot. */
const startedBefore = new WeakSet<AtomRegistry.AtomRegistry>()

/** Starts the live stream of the chosen workspace. Returns a function that ends it. */
export const startLive = (registry: AtomRegistry.AtomRegistry): (() => void) => {
  const startedAt = nowMillis()
  const unmount = registry.mount(runtimeAtom)
  let named: ReadonlyArray<string> = []
  let isFirst = !startedBefore.has(registry)
  startedBefore.add(registry)
  registry.set(connectionAtom, { kind: "connecting" })
  registry.set(countsAtom, undefined)

  const invalidation = makeInvalidation((keys) => {
    Effect.runFork(
      Effect.flatMap(AtomRegistry.getResult(registry, runtimeAtom), (services) =>
        Effect.provide(Reactivity.invalidate(keys), services as Context.Context<Reactivity.Reactivity>)
      )
    )
  })

  const onMessage = ({ data, event }: StreamMessage) => {
    if (event === "snapshot") {
      registry.set(countsAtom, data.counts)
      for (const device of data.devices) registry.set(deviceStateAtom(device.deviceId), device)
      // The page may have missed changes, unless its queries are as young as the snapshot.
      if (!isFirst || nowMillis() - startedAt > LATE_MS) invalidation.add([EVERYTHING])
      isFirst = false
      return
    }
    isFirst = false
    if (data.kind === "counts") return registry.set(countsAtom, data.counts)
    if (data.kind === "event") return invalidation.add(eventKeys(data))
    registry.set(deviceStateAtom(data.deviceId), data)
  }

  const open = (lastEventId: string | undefined, signal: AbortSignal) => {
    named = followedDevices()
    return fetch(`/dashboard/api/stream${named.length === 0 ? "" : `?devices=${named.join(",")}`}`, {
      headers: { ...pageHeaders("GET"), ...(lastEventId !== undefined && { "last-event-id": lastEventId }) },
      cache: "no-store",
      signal
    })
  }

  const devicesAdded = Effect.callback<void>((resume) => {
    const check = () => {
      if (followedDevices().some((id) => !named.includes(id))) resume(Effect.sleep(FOLLOW_WITHIN))
    }
    const end = onFollowed(check)
    check()
    return Effect.sync(end)
  })

  const fiber = Effect.runFork(
    followChanges({
      open,
      onMessage,
      onConnection: (connection) => registry.set(connectionAtom, connection),
      onSignedOut: sessionEnded,
      onNotFound: workspaceDoubted,
      whenShown,
      untilRestart: Effect.raceFirst(hiddenForLong, devicesAdded),
      untilWorthwhile: Effect.raceFirst(whenOnlineAgain, Effect.andThen(whenHidden, whenShown))
    })
  )

  return () => {
    Effect.runFork(Fiber.interrupt(fiber))
    invalidation.end()
    unmount()
  }
}
