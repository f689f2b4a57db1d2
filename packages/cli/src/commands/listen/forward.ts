import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { Received, Reply } from "./LocalReceiver.ts"

/** As long as the platform waits itself. */
const TIME_LIMIT = "10 seconds"

/** What belongs to the connection that a delivery came by. */
const ofTheConnection = new Set([
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "transfer-encoding",
  "accept-encoding"
])

export interface Forwarded extends Reply {
  /** What to tell of it: the status, or what kept it from being answered. */
  readonly said: string
}

/** Hands a delivery on, byte for byte with its headers, and answers what is answered there; 502 where nobody answers. */
export const forward = (url: string, { body, headers }: Received) =>
  Effect.gen(function* () {
    const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheConnection.has(name)))
    const request = HttpClientRequest.post(url).pipe(
      HttpClientRequest.bodyUint8Array(body, headers["content-type"] ?? "application/json"),
      HttpClientRequest.setHeaders(kept)
    )
    const response = yield* HttpClient.execute(request)
    const answer = new Uint8Array(yield* response.arrayBuffer)
    return { status: response.status, body: answer, said: `answered ${response.status}` } satisfies Forwarded
  }).pipe(
    Effect.timeoutOrElse({
      duration: TIME_LIMIT,
      orElse: () => Effect.succeed<Forwarded>({ status: 504, said: `no answer within ${TIME_LIMIT}` })
    }),
    Effect.catch(() => Effect.succeed<Forwarded>({ status: 502, said: "nobody answers there" }))
  )
