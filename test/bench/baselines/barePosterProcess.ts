import type { Event } from "@edp/domain/events/Event"
import type { Target } from "@edp/server/destinations/senders/DestinationSender"
import { WebhookSender } from "@edp/server/destinations/senders/WebhookSender"
import { OutboundHttp } from "@edp/server/platform/outbound/OutboundHttp"
import { Effect, Layer, Redacted } from "effect"
import { serveRequests } from "../setting/childProcess.ts"
import type { PostLoad, PostResult } from "./BarePoster.ts"

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`

const run = ({ concurrency, event, seconds, url }: PostLoad): Effect.Effect<PostResult> =>
  Effect.gen(function* () {
    const sender = yield* WebhookSender
    const target = { url: Redacted.make(url), secrets: [Redacted.make(secret)], headers: Redacted.make({}) } as unknown
    let sent = 0
    let until = 0
    const loop = Effect.gen(function* () {
      while (performance.now() < until) {
        const { error, succeeded } = yield* sender.send(target as Target, event as Event)
        if (!succeeded) return yield* Effect.die(new Error(`not sent: ${error}`))
        sent += 1
      }
    })
    const all = Effect.forEach(Array.from({ length: concurrency }), () => loop, {
      concurrency: "unbounded",
      discard: true
    })
    until = performance.now() + 500
    yield* all
    sent = 0
    const began = performance.now()
    until = began + seconds * 1000
    yield* all
    return { answered: sent, perSecond: sent / ((performance.now() - began) / 1000) }
  }).pipe(Effect.provide(WebhookSender.layer.pipe(Layer.provide(OutboundHttp.layer({ allowPrivate: true })))))

serveRequests((load: PostLoad) => Effect.runPromise(run(load)))
