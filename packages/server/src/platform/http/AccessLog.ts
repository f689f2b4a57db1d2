import { Context, Effect, Layer } from "effect"
import { type LogEntry, type LogFormat, logLine } from "../observability/logLines.ts"
import { ServerConfig } from "../config/ServerConfig.ts"
import { observeRequest } from "./requestMetrics.ts"
import { maskedPath } from "./maskedPath.ts"
import type { RequestInfo } from "./RequestInfo.ts"

const FLUSH_EVERY_MS = 200
const FLUSH_AT_LINES = 500

type Requested = { readonly method: string; readonly url: string }

interface Line {
  readonly request: Requested
  readonly info: RequestInfo
  readonly status: number
  readonly ms: number
}

const pathOf = (request: Requested) => maskedPath(request.url.split("?", 1)[0] ?? "")

// The query is left out: it may hold what identifies a person.
const entries: Record<LogFormat, (line: Line, time: string) => LogEntry> = {
  json: ({ request, info, status, ms }, time) => ({
    time,
    level: "INFO",
    message: "request",
    fields: {
      requestId: info.id,
      method: request.method,
      path: pathOf(request),
      status,
      ms: Math.round(ms * 100) / 100,
      address: info.address,
      keyId: info.keyId,
      workspaceId: info.workspaceId
    }
  }),
  pretty: ({ request, info, status, ms }, time) => ({
    time,
    level: "INFO",
    message: `${status} ${request.method} ${pathOf(request)} ${ms.toFixed(1)} ms ${info.id}`
  })
}

/** One line a request, gathered and written together: a write for each costs more than answering it. */
export class AccessLog extends Context.Service<
  AccessLog,
  {
    readonly write: (request: Requested, info: RequestInfo, status: number, ms: number) => void
  }
>()("@edp/server/AccessLog") {
  static readonly layer = Layer.effect(
    AccessLog,
    Effect.gen(function* () {
      const { logFormat } = yield* ServerConfig
      const entryOf = entries[logFormat]
      let lines: Array<string> = []
      const flush = () => {
        if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`)
        lines = []
      }
      const timer = setInterval(flush, FLUSH_EVERY_MS)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          clearInterval(timer)
          flush()
        })
      )
      return {
        write: (request, info, status, ms) => {
          observeRequest(request.method, info.route, status, ms)
          lines.push(logLine(logFormat, entryOf({ request, info, status, ms }, new Date().toISOString())))
          if (lines.length >= FLUSH_AT_LINES) flush()
        }
      }
    })
  )

  /** Counts requests and writes nothing. */
  static readonly layerSilent = Layer.succeed(AccessLog, {
    write: (request, info, status, ms) => observeRequest(request.method, info.route, status, ms)
  })
}
