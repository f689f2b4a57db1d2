import type { StreamMessage } from "@edp/domain/dashboard/StreamApi"
import type { StreamCounts, StreamDevice } from "@edp/domain/dashboard/StreamMessage"
import { Effect } from "effect"
import { followChanges, type Position } from "./changeStream.ts"
import type { Connection } from "./connection.ts"
import { followedDevices, MOST_FOLLOWED, onFollowed } from "./liveState.ts"
import { pageHeaders } from "./pageHeaders.ts"

/** Components of a page follow their devices one after another. */
const FOLLOW_WITHIN = "250 millis"

export type DeviceState = Omit<StreamDevice, "kind">

/** The present, as far as the stream has told it. */
export interface Present {
  readonly counts: StreamCounts
  readonly devices: ReadonlyArray<DeviceState>
}

/** The part of a page that uses the stream, whether it is its own or that of another tab. */
export interface StreamUser {
  readonly position: Position
  readonly onMessage: (message: StreamMessage) => void
  /** The present counts and states. `isMissing`: the page has not followed all changes until now. */
  readonly onPresent: (present: Present, isMissing: boolean) => void
  readonly onConnection: (connection: Connection) => void
  readonly onSignedOut: () => void
  readonly onNotFound: () => void
  /** Completes when an attempt is worthwhile before a pause is over, such as when the network is back. */
  readonly untilWorthwhile: Effect.Effect<void>
  readonly closing: AbortSignal
}

/** The stream of this page, which may serve other tabs, too. */
export interface StreamOwner {
  /** Follows the changes until it is interrupted. */
  readonly run: Effect.Effect<never>
  /** The devices of other tabs have changed. */
  readonly refollow: () => void
  /** The present as far as it is known; undefined before the first message. */
  readonly present: (devices: ReadonlyArray<string>) => Present | undefined
  readonly connection: () => Connection
}

/** Opens streams that name the devices of this page and those of `others`. Everything that comes is also passed to `tell`. */
export const makeStreamOwner = (
  user: StreamUser,
  others: () => ReadonlyArray<string> = () => [],
  tell: Partial<Pick<StreamUser, "onMessage" | "onConnection" | "onSignedOut" | "onNotFound">> = {}
): StreamOwner => {
  let named: ReadonlySet<string> = new Set()
  let counts: StreamCounts | undefined
  let connection: Connection = { kind: "connecting" }
  const known = new Map<string, DeviceState>()
  const listeners = new Set<() => void>()

  const wanted = () => [...new Set([...followedDevices(), ...others()])].slice(0, MOST_FOLLOWED)

  const open = (lastEventId: string | undefined, signal: AbortSignal) => {
    named = new Set(wanted())
    for (const id of known.keys()) if (!named.has(id)) known.delete(id)
    return fetch(`/dashboard/api/stream${named.size === 0 ? "" : `?devices=${[...named].join(",")}`}`, {
      headers: { ...pageHeaders("GET"), ...(lastEventId !== undefined && { "last-event-id": lastEventId }) },
      cache: "no-store",
      signal
    })
  }

  const remember = ({ data, event }: StreamMessage) => {
    if (event === "snapshot") {
      counts = data.counts
      for (const device of data.devices) known.set(device.deviceId, device)
    } else if (data.kind === "counts") counts = data.counts
    else if (data.kind === "device") known.set(data.deviceId, data)
  }

  const present = (devices: ReadonlyArray<string>) =>
    counts === undefined ? undefined : { counts, devices: devices.flatMap((id) => known.get(id) ?? []) }

  const devicesAdded = Effect.callback<void>((resume) => {
    const check = () => {
      if (wanted().some((id) => !named.has(id))) resume(Effect.sleep(FOLLOW_WITHIN))
    }
    const followed = () => {
      // The stream may name the device for another tab, or still: its state is then known.
      const now = present(followedDevices())
      if (now !== undefined) user.onPresent(now, false)
      check()
    }
    listeners.add(check)
    const end = onFollowed(followed)
    check()
    return Effect.sync(() => {
      listeners.delete(check)
      end()
    })
  })

  const onConnection = (next: Connection) => {
    connection = next
    user.onConnection(next)
    tell.onConnection?.(next)
  }

  const run = Effect.suspend(() =>
    followChanges({
      position: user.position,
      closing: user.closing,
      open,
      onMessage: (message) => {
        remember(message)
        user.onMessage(message)
        tell.onMessage?.(message)
      },
      onConnection,
      onSignedOut: () => {
        user.onSignedOut()
        tell.onSignedOut?.()
      },
      onNotFound: () => {
        user.onNotFound()
        tell.onNotFound?.()
      },
      untilRestart: devicesAdded,
      untilWorthwhile: user.untilWorthwhile
    })
  ).pipe(Effect.ensuring(Effect.sync(() => onConnection({ kind: "connecting" }))))

  return {
    run,
    refollow: () => {
      for (const listener of listeners) listener()
    },
    present,
    connection: () => connection
  }
}
