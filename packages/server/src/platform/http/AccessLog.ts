import { maskKeys } from "@edp/domain/auth/keyFormat"
import { Context, Effect, Layer, Metric } from "effect"
import { ServerConfig } from "../config/ServerConfig.ts"
import type { LogFormat } from "../observability/logEntry.ts"
import { ownSlot } from "../processes/ownSlot.ts"
import type { RequestInfo } from "./RequestInfo.ts"

const decoded = (path: string) => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** A path with API keys masked: a caller may put a key in place of an id, with escaped characters. */
const maskedPath = (path: string): string => {
  if (!path.includes("%")) return maskKeys(path)
  const text = decoded(path)
  const masked = maskKeys(text)
  return masked === text ? maskKeys(path) : encodeURI(masked)
}

const duration = Metric.histogram("http_server_request_duration_seconds", {
  description: "Time from a request's head to its response, by method, route and status",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

const noContext = Context.empty()
const byLabels = new Map<string, ReturnType<typeof withLabels>>()

/** The names of OpenTelemetry's semantic conventions, as Prometheus spells them. */
const withLabels = (method: string, route: string, status: number) =>
  Metric.withAttributes(duration, {
    http_request_method: method,
    http_route: route,
    http_response_status_code: String(status)
  })

/** Records a request by its route, never by its path: each id would be a time series. */
const observeRequest = (method: string, route = "other", status: number, ms: number) => {
  const labels = `${method} ${route} ${status}`
  let metric = byLabels.get(labels)
  if (metric === undefined) {
    metric = withLabels(method, route, status)
    byLabels.set(labels, metric)
  }
  metric.updateUnsafe(ms / 1000, noContext)
}

const FLUSH_EVERY_MS = 200

/** Characters that are written at once. A pipe does not mix this much with what other processes write to it. */
const MOST_AT_ONCE = 4096

type Requested = { readonly method: string; readonly url: string }

interface Line {
  readonly level: "INFO" | "DEBUG"
  readonly request: Requested
  readonly info: RequestInfo
  readonly status: number
  readonly ms: number
}

/**
 * Paths of end users' links: whoever has the token of one may go on in its session. And those of devices that can send no password, whose
 * address is one.
 */
const linkToken = /^(\/connect\/|\/grid-notifications\/|\/inbound\/[^/;]*\/|\/enroll\/[^/;]*\/(?:email\/)?)[^/;]{16,}/

const loggedPath = (request: Requested) => maskedPath(request.url.split("?", 1)[0] ?? "").replace(linkToken, "$1***")

const field = (name: string, value: string | undefined) => (value === undefined ? "" : `,"${name}":"${value}"`)

const shownSlot = ownSlot === undefined ? "" : ` process=${ownSlot.name}`

/**
 * Lines are concatenated. Only the path needs escapes, and only there may be keys: a request's id with a key is not accepted. The query is
 * left out: it may identify a person.
 */
const lineFormats: Record<LogFormat, (line: Line, time: string) => string> = {
  json: ({ level, request, info, status, ms }, time) =>
    `{"time":"${time}","level":"${level}","message":"request","requestId":"${info.id}","method":"${request.method}",` +
    `"path":${JSON.stringify(loggedPath(request))},"status":${status},"ms":${Math.round(ms * 100) / 100},` +
    `"address":"${info.address}"${field("keyId", info.keyId)}${field("workspaceId", info.workspaceId)}${field("process", ownSlot?.name)}}`,
  pretty: ({ level, request, info, status, ms }, time) =>
    `${time.slice(11, 23)} ${level} ${status} ${request.method} ${loggedPath(request)} ${ms.toFixed(1)} ms ${info.id}${shownSlot}`
}

const polled = new Set(["/health/live", "/health/ready", "/metrics"])

/** Supervisors, proxies and Prometheus ask every few seconds. Their responses matter only when something is wrong. */
const isPoll = ({ url }: Requested, status: number) => status < 400 && polled.has(url.split("?", 1)[0] ?? "")

/** Logs one line for each request. Lines are written together: a write for each would cost more than the request. */
export class AccessLog extends Context.Service<
  AccessLog,
  {
    readonly write: (request: Requested, info: RequestInfo, status: number, ms: number) => void
  }
>()("@edp/server/AccessLog") {
  static readonly layer = Layer.effect(
    AccessLog,
    Effect.gen(function* () {
      const { logFormat, logLevel } = yield* ServerConfig
      const formatLine = lineFormats[logFormat]
      let lines = ""
      const flush = () => {
        if (lines !== "") process.stdout.write(lines)
        lines = ""
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
          const level = isPoll(request, status) ? "DEBUG" : "INFO"
          if (level === "DEBUG" && logLevel !== "debug") return
          const line = `${formatLine({ level, request, info, status, ms }, new Date().toISOString())}\n`
          if (lines.length + line.length > MOST_AT_ONCE) flush()
          lines += line
        }
      }
    })
  )

  /** Counts requests and logs nothing. */
  static readonly layerSilent = Layer.succeed(AccessLog, {
    write: (request, info, status, ms) => observeRequest(request.method, info.route, status, ms)
  })
}
