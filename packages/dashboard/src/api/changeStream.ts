import { StreamMessage } from "@edp/domain/dashboard/StreamApi"
import { Clock, Data, Effect, Option, Random, Schema } from "effect"
import { Sse } from "effect/encoding"
import type { Connection } from "./connection.ts"

/** The service sends a comment every 15 seconds; a connection without one is broken. */
const SILENT_FOR = "40 seconds"
const CONNECT_WITHIN = "20 seconds"
/** Pauses between attempts: doubled after each failure, and varied by a half, so that pages do not return at the same moment. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000
/** A snapshot with 100 devices takes some 100 kB. */
const MAX_MESSAGE = 4 * 1024 * 1024

class Broken extends Data.TaggedError("Broken")<{ readonly retryAfterSeconds?: number }> {}

/** How far the page has followed the changes. */
export interface Position {
  /** The id of the last message; undefined before the first one. */
  lastEventId: string | undefined
}

export interface ChangeStreamOptions {
  /** The stream begins after this position, which moves on with each message. */
  readonly position: Position
  /** Sends the request. */
  readonly open: (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>
  readonly onMessage: (message: StreamMessage) => void
  readonly onConnection: (connection: Connection) => void
  /** The session has ended. */
  readonly onSignedOut: () => void
  /** The chosen workspace may not exist any more. */
  readonly onNotFound: () => void
  /** The page is being left: the connection is closed at once, because little else runs in the page from then on. */
  readonly closing: AbortSignal
  /** Completes when the stream should be opened anew: it is to follow other devices. */
  readonly untilRestart: Effect.Effect<void>
  /** Completes when an attempt is worthwhile before the pause is over, such as when the network is back. */
  readonly untilWorthwhile: Effect.Effect<void>
}

const decode = Schema.decodeUnknownOption(StreamMessage)

/** Follows the changes for ever: it resumes after the last message, whatever breaks the connection. */
export const followChanges = (options: ChangeStreamOptions): Effect.Effect<never> => {
  const { closing, position } = options
  let failures = 0
  let aliveAt: number | undefined

  let isLive = false

  const alive = Effect.map(Clock.currentTimeMillis, (now) => {
    aliveAt = now
    failures = 0
    if (!isLive) options.onConnection({ kind: "live" })
    isLive = true
  })

  const receive = (event: Sse.AnyEvent) => {
    if (event._tag !== "Event") return
    // A message that this page does not know is of a newer service; the position moves on.
    const message = decode(event)
    position.lastEventId = event.id ?? position.lastEventId
    if (Option.isSome(message)) options.onMessage(message.value)
  }

  const request = Effect.tryPromise({
    try: (signal) => options.open(position.lastEventId, AbortSignal.any([signal, closing])),
    catch: () => new Broken({})
  }).pipe(Effect.timeoutOrElse({ duration: CONNECT_WITHIN, orElse: () => new Broken({}) }))

  const refused = (response: Response) => {
    if (response.status === 401) options.onSignedOut()
    if (response.status === 404) options.onNotFound()
    const retryAfterSeconds = Number(response.headers.get("retry-after"))
    return new Broken(retryAfterSeconds > 0 ? { retryAfterSeconds } : {})
  }

  const connection = Effect.gen(function* () {
    const response = yield* request
    if (!response.ok || response.body === null) return yield* refused(response)
    const reader = yield* Effect.acquireRelease(
      Effect.sync(() => response.body!.pipeThrough(new TextDecoderStream()).getReader()),
      (opened) => Effect.ignore(Effect.tryPromise(() => opened.cancel()))
    )
    const parser = Sse.makeParser(receive, { maxEventSize: MAX_MESSAGE })
    isLive = false
    const read = Effect.tryPromise({ try: () => reader.read(), catch: () => new Broken({}) }).pipe(
      Effect.timeoutOrElse({ duration: SILENT_FOR, orElse: () => new Broken({}) })
    )
    for (;;) {
      const { done, value } = yield* read
      if (done || parser.feed(value) !== undefined) return yield* new Broken({})
      yield* alive
    }
  }).pipe(Effect.scoped)

  const pauseAfter = Effect.fnUntraced(function* ({ retryAfterSeconds = 0 }: Broken) {
    failures += 1
    options.onConnection(
      failures === 1 || aliveAt === undefined ? { kind: "connecting" } : { kind: "offline", since: aliveAt }
    )
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1))
    const pause = Math.max(longest * (0.5 + (yield* Random.next)), retryAfterSeconds * 1000)
    yield* Effect.raceFirst(Effect.sleep(pause), options.untilWorthwhile)
  })

  return Effect.raceFirst(connection, options.untilRestart).pipe(Effect.catch(pauseAfter), Effect.forever)
}
