import { Effect, Stream } from "effect"
import { type HttpClientRequest, HttpClientResponse } from "effect/http"
import { UnexpectedAnswer } from "./UnexpectedAnswer.ts"

const MAX_MEBIBYTES = 64
const MAX_BYTES = MAX_MEBIBYTES * 1024 * 1024

const tooLarge = new UnexpectedAnswer({ message: `The answer is larger than ${MAX_MEBIBYTES} MiB` })

/** The body as far as it came; undefined where there is none. */
const bodyOf = (response: HttpClientResponse.HttpClientResponse) =>
  response.stream.pipe(
    Stream.mapAccumEffect(
      () => 0,
      (size, chunk: Uint8Array) =>
        size + chunk.byteLength > MAX_BYTES
          ? Effect.fail(tooLarge)
          : Effect.succeed([size + chunk.byteLength, [chunk]] as const)
    ),
    Stream.mkUint8Array,
    Effect.catchReason("HttpClientError", "EmptyBodyError", () => Effect.undefined)
  )

/** Statuses that a `Response` can be made of; a browser shows a redirect that is not followed as status 0. */
const isPlain = (status: number) => status >= 200 && status <= 599

/**
 * Reads an answer whole, up to a limit: whatever answers must not fill the memory. The request that stays with it, and so
 * with every error that tells of it, is the one without the key.
 */
export const readAnswer = Effect.fnUntraced(function* (
  request: HttpClientRequest.HttpClientRequest,
  response: HttpClientResponse.HttpClientResponse
) {
  const { headers, status } = response
  if (!isPlain(status)) {
    return yield* new UnexpectedAnswer({ message: "The answer is a redirect, which is not followed", status })
  }
  const body = yield* bodyOf(response)
  const kept = body === undefined || body.byteLength === 0 ? null : body
  return HttpClientResponse.fromWeb(request, new Response(kept, { status, headers }))
})
