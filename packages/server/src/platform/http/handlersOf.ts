import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, type HttpApiEndpoint } from "effect/http-api"
import { decodedPayload } from "./decodedPayload.ts"

interface Call {
  readonly request: HttpServerRequest.HttpServerRequest
}

interface Handler {
  readonly endpoint: HttpApiEndpoint.Top
  readonly handler: (call: Call) => Effect.Effect<unknown, unknown, unknown>
}

interface Handlers {
  readonly handlers: Map<string, Handler>
}

type Build = (handlers: never) => Effect.Effect<Handlers, unknown, unknown>

/** The handler gets its payload decoded by us: within bounds, and with an answer of bounded size for what does not decode. */
const withPayload = (item: Handler) => {
  const decode = decodedPayload(item.endpoint)
  return decode === undefined
    ? item
    : {
        ...item,
        isRaw: true,
        handler: (call: Call) =>
          Effect.flatMap(decode(call.request), (payload) => item.handler({ ...call, payload } as Call))
      }
}

const withPayloads = (built: Handlers) => {
  for (const [name, item] of built.handlers) built.handlers.set(name, withPayload(item))
  return built
}

/** `HttpApiBuilder.group` for handlers that an effect builds. */
export const handlersOf = ((api: never, group: never, build: Build) =>
  HttpApiBuilder.group(api, group, ((handlers: never) =>
    Effect.map(build(handlers), withPayloads)) as never)) as unknown as typeof HttpApiBuilder.group
