import type { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { RequestsInFlight } from "../observability/RequestsInFlight.ts"

export interface KeptOpen {
  /** Closes the connection at once. */
  readonly cut: () => void
  /** Runs once, when the response is closed, however it ended. The response does not count as a request in flight until then. */
  readonly whenClosed: (run: () => void) => void
}

/** The connection of a response that stays open until its client leaves. */
export const keptOpen = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<KeptOpen> =>
  Effect.map(RequestsInFlight, (inFlight) => {
    const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
    return {
      cut: () => void response.destroy(),
      whenClosed: (run) => {
        if (response.destroyed) return run()
        inFlight.count -= 1
        response.once("close", () => {
          inFlight.count += 1
          run()
        })
      }
    }
  })
