import { OutboundHttp } from "@edp/server/platform/outbound/OutboundHttp"
import { Duration, Effect } from "effect"
import { answerRequests } from "../setting/childProcess.ts"
import type { PostLoad, PostResult } from "./BarePoster.ts"

const run = ({ body, concurrency, seconds, url }: PostLoad): Effect.Effect<PostResult, unknown> =>
  Effect.gen(function* () {
    const http = yield* OutboundHttp
    const request = {
      url: new URL(url),
      headers: { "content-type": "application/json" },
      body: Buffer.from(body),
      timeLimit: Duration.seconds(10),
      answerLimit: 65_536
    }
    let answered = 0
    let until = 0
    const loop = Effect.gen(function* () {
      while (performance.now() < until) {
        yield* http.post(request)
        answered += 1
      }
    })
    const every = Effect.forEach(Array.from({ length: concurrency }), () => loop, {
      concurrency: "unbounded",
      discard: true
    })
    until = performance.now() + 500
    yield* every
    answered = 0
    const began = performance.now()
    until = began + seconds * 1000
    yield* every
    return { answered, perSecond: answered / ((performance.now() - began) / 1000) }
  }).pipe(Effect.provide(OutboundHttp.layer({ allowPrivate: true })))

answerRequests((load: PostLoad) => Effect.runPromise(run(load)))
