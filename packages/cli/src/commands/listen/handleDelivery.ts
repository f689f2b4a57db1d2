import type { Event } from "@edp/domain/events/Event"
import { refusalOf } from "@edp/domain/events/webhookSignature"
import { Clock, Console, Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Output } from "../../kernel/Output.ts"
import { eventLine } from "../events.ts"
import type { Received, Reply } from "./LocalReceiver.ts"

/** The same as the platform's delivery timeout. */
const TIME_LIMIT = "10 seconds"

/** Hop-by-hop headers. */
const connectionHeaders = new Set([
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "transfer-encoding",
  "accept-encoding"
])

export interface Forwarded extends Reply {
  /** The result in words: the status, or why there is no response. */
  readonly said: string
}

/** Forwards a delivery unchanged and returns the response; 502 without a response. */
const forward = (url: string, { body, headers }: Received) =>
  Effect.gen(function* () {
    const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !connectionHeaders.has(name)))
    const request = HttpClientRequest.post(url).pipe(
      HttpClientRequest.bodyUint8Array(body, headers["content-type"] ?? "application/json"),
      HttpClientRequest.setHeaders(kept)
    )
    const response = yield* HttpClient.execute(request)
    const reply = new Uint8Array(yield* response.arrayBuffer)
    return { status: response.status, body: reply, said: `status ${response.status}` } satisfies Forwarded
  }).pipe(
    Effect.timeoutOrElse({
      duration: TIME_LIMIT,
      orElse: () => Effect.succeed<Forwarded>({ status: 504, said: `no response within ${TIME_LIMIT}` })
    }),
    Effect.catch(() => Effect.succeed<Forwarded>({ status: 502, said: "no response" }))
  )

const parsed = (body: Uint8Array) => {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8")) as Event
  } catch {
    return undefined
  }
}

/** Appended to an event's line: repeated deliveries, and the result of forwarding. */
const remarks = (times: number, said: string | undefined) =>
  [...(times > 1 ? [`time ${times}`] : []), ...(said === undefined ? [] : [said])]
    .map((remark) => `  [${remark}]`)
    .join("")

/**
 * Verifies deliveries, shows them and forwards them if wanted. One with a wrong signature is reported and answered with 401.
 *
 * @param secret Available once the destination exists.
 * @param seen Deliveries per event; it is updated.
 */
export const handleDelivery = (secret: Effect.Effect<string>, to: string | undefined, seen: Map<string, number>) =>
  Effect.fnUntraced(function* (received: Received) {
    const output = yield* Output
    const now = yield* Clock.currentTimeMillis
    const key = yield* secret
    const refusal = yield* Effect.promise(() => refusalOf(key, received.headers, received.body, Math.floor(now / 1000)))
    if (refusal !== undefined) {
      yield* output.note(`Refused a delivery to ${received.path}: ${refusal}`)
      return { status: 401 }
    }
    const event = parsed(received.body)
    if (event === undefined) {
      yield* output.note(`Refused a delivery to ${received.path}: its body is not JSON`)
      return { status: 400 }
    }
    const times = (seen.get(event.id) ?? 0) + 1
    seen.set(event.id, times)
    const reply = to === undefined ? undefined : yield* forward(to, received)
    const line = `${eventLine(event)}${remarks(times, reply?.said)}`
    yield* Console.log(output.json ? JSON.stringify(event) : line)
    if (output.json && reply !== undefined) yield* output.note(`${event.id}${remarks(times, reply.said)}`)
    return reply ?? { status: 204 }
  })
