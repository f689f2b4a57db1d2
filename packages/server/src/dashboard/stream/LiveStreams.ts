import { STREAM_HEARTBEAT_SECONDS, STREAM_RETRY_MS } from "@edp/domain/dashboard/StreamApi"
import { RateLimited } from "@edp/domain/errors/ApiErrors"
import { type Cause, Clock, Context, Effect, Layer, Queue, RcMap, Stream } from "effect"
import { Alerts } from "../../alerts/Alerts.ts"
import { Events } from "../../events/Events.ts"
import { every } from "../../platform/jobs/every.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { heartbeat, opening } from "./streamMessages.ts"
import { endReader, makeStreamReader, send, type StreamReader } from "./streamReader.ts"
import { StreamRepository } from "./StreamRepository.ts"
import { makeWorkspaceFeed } from "./WorkspaceFeed.ts"

/** Streams of this process, and of one key or session. */
const MOST_STREAMS = 500
const MOST_OF_ONE = 100
/** Devices that the streams of a process name: each look for changes compares events with them. */
const MOST_DEVICES = 10_000
/** Keys, sessions and workspaces are checked this often, in seconds. */
const CHECK_SECONDS = 5
/** Events of all workspaces are settled together; feeds share one look. */
const SETTLED_FOR = "250 millis"
/** How long a stop waits for streams to end by themselves. */
const END_WITHIN_MS = 1000

const start = opening(STREAM_RETRY_MS)

export interface StreamRequest {
  readonly workspaceId: string
  readonly keyId: string
  /** Undefined for a request with a key. */
  readonly sessionId: string | undefined
  readonly devices: ReadonlyArray<string>
  readonly lastEventId: number | undefined
  readonly connection: {
    /** Closes the connection at once. */
    readonly cut: () => void
    /** Runs once the connection is closed, however it ended. */
    readonly whenClosed: (run: () => void) => void
  }
}

/** The streams of this process. */
export class LiveStreams extends Context.Service<
  LiveStreams,
  {
    /** The messages of a new stream, which has ended when its connection is closed. */
    readonly open: (
      request: StreamRequest
    ) => Effect.Effect<Stream.Stream<Uint8Array, DatabaseUnavailable>, RateLimited>
    /** Ends all streams and refuses new ones, so that the server can stop. */
    readonly endAll: Effect.Effect<void>
    /** The number of open streams. */
    readonly count: () => number
  }
>()("@edp/server/LiveStreams") {
  static readonly layer = Layer.effect(
    LiveStreams,
    Effect.gen(function* () {
      const repository = yield* StreamRepository
      const alerts = yield* Alerts
      const { settled } = yield* Events
      const settledLately = yield* Effect.cachedWithTTL(settled, SETTLED_FOR)
      const readers = new Set<StreamReader>()
      let devices = 0
      let isStopping = false

      const feeds = yield* RcMap.make({
        lookup: (workspaceId: string) => makeWorkspaceFeed(workspaceId, { repository, alerts, settled, settledLately }),
        idleTimeToLive: "5 seconds"
      })

      const toOwner = ({ keyId, sessionId }: Pick<StreamRequest, "keyId" | "sessionId">) => sessionId ?? keyId

      /** The streams that go on, by the session or key that opened them, the oldest first. */
      const byOwner = () =>
        Map.groupBy(
          [...readers].filter(({ isEnded }) => !isEnded),
          toOwner
        )

      /**
       * The stream that ends for a new one while there is no room: the oldest of whoever has most. Undefined if nobody has more than
       * the caller would have then.
       */
      const findSurplus = (own: number, owners: ReadonlyMap<string, ReadonlyArray<StreamReader>>) => {
        const most = [...owners.values()].reduce((one, other) => (other.length > one.length ? other : one), [])
        return most.length > own + 1 ? most[0] : undefined
      }

      const refusal = (request: StreamRequest) => {
        if (isStopping) return "The service is stopping"
        const owners = byOwner()
        const own = owners.get(toOwner(request))?.length ?? 0
        if (own >= MOST_OF_ONE) return "Too many streams of this key are open"
        if ([...owners.values()].reduce((sum, { length }) => sum + length, 0) >= MOST_STREAMS) {
          const surplus = findSurplus(own, owners)
          if (surplus === undefined) return "Too many streams are open"
          endReader(surplus)
        }
        return devices + request.devices.length > MOST_DEVICES ? "Too many devices are followed" : undefined
      }

      const register = (reader: StreamReader, { whenClosed }: StreamRequest["connection"]) => {
        readers.add(reader)
        devices += reader.devices.size
        whenClosed(() => {
          readers.delete(reader)
          devices -= reader.devices.size
          endReader(reader)
        })
      }

      const check = Effect.gen(function* () {
        // Their client did not read the end within the last pause.
        for (const { cut, isEnded } of readers) if (isEnded) cut()
        const open = [...readers]
        if (open.length === 0) return
        const live = yield* repository.live(
          {
            keyIds: [...new Set(open.map(({ keyId }) => keyId))],
            sessionIds: [...new Set(open.flatMap(({ sessionId }) => sessionId ?? []))],
            workspaceIds: [...new Set(open.map(({ workspaceId }) => workspaceId))]
          },
          new Date(yield* Clock.currentTimeMillis)
        )
        for (const reader of open) {
          const { keyId, sessionId, workspaceId } = reader
          if (![keyId, workspaceId, sessionId ?? keyId].every((id) => live.has(id))) endReader(reader)
        }
      }).pipe(Effect.withTracerEnabled(false))

      let checks = 0
      yield* every(
        "The check of the dashboard's streams",
        `${CHECK_SECONDS} seconds`,
        Effect.andThen(
          check,
          Effect.sync(() => {
            checks += 1
            if ((checks * CHECK_SECONDS) % STREAM_HEARTBEAT_SECONDS !== 0) return
            for (const reader of readers) send(reader, heartbeat)
          })
        )
      )

      const messages = (reader: StreamReader, lastEventId: number | undefined) =>
        Effect.gen(function* () {
          const feed = yield* RcMap.get(feeds, reader.workspaceId)
          const first = yield* feed.join(reader, lastEventId)
          const rest = Stream.map(Stream.fromQueue(reader.queue), (message) => {
            reader.waiting -= message.length
            return message
          })
          return Stream.concat(first, rest)
        }).pipe(Stream.unwrap, (changes) => Stream.concat(Stream.succeed(start), changes))

      return {
        open: Effect.fn("LiveStreams.open")(function* (request) {
          const message = refusal(request)
          if (message !== undefined) return yield* new RateLimited({ retryAfter: STREAM_HEARTBEAT_SECONDS, message })
          const queue = yield* Queue.make<Uint8Array, Cause.Done>()
          const { connection, keyId, sessionId, workspaceId } = request
          const named = new Set(request.devices)
          const reader = makeStreamReader({ workspaceId, keyId, sessionId, devices: named, queue, cut: connection.cut })
          register(reader, connection)
          return messages(reader, request.lastEventId)
        }),
        endAll: Effect.gen(function* () {
          isStopping = true
          readers.forEach(endReader)
          for (let waited = 0; readers.size > 0 && waited < END_WITHIN_MS; waited += 50) yield* Effect.sleep(50)
          for (const { cut } of readers) cut()
        }),
        count: () => readers.size
      }
    })
  )
}
