import { DashboardApi } from "@edp/domain/DashboardApi"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { CurrentSession } from "../platform/http/CurrentSession.ts"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { keptOpen } from "../platform/http/keptOpen.ts"
import { retryAfterHeader } from "../platform/rate-limits/keyLimits.ts"
import { LiveStreams } from "./stream/LiveStreams.ts"

const headers = {
  "cache-control": "no-store",
  // nginx would collect the messages
  "x-accel-buffering": "no"
}

/** The header of a browser that connects again; one that is no sequence was not sent by this service. */
const parseLastEventId = (header: string | undefined) =>
  header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined

export const StreamHandlers = groupHandlers(
  DashboardApi,
  "stream",
  Effect.fn(function* (handlers) {
    const streams = yield* LiveStreams
    return handlers.handleAll({
      open: Effect.fnUntraced(function* ({ query, request }) {
        const key = yield* CurrentKey
        const opened = streams.open({
          workspaceId: key.workspaceId,
          keyId: key.id,
          sessionId: (yield* CurrentSession)?.id,
          devices: query.devices ?? [],
          lastEventId: parseLastEventId(request.headers["last-event-id"]) ?? query.lastEventId,
          connection: yield* keptOpen(request)
        })
        const messages = yield* Effect.tapErrorTag(opened, "RATE_LIMITED", retryAfterHeader)
        return HttpServerResponse.stream(messages, { contentType: "text/event-stream", headers })
      })
    })
  })
)
