import { randomBytes } from "node:crypto"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { runCli } from "@edp/cli/Cli"
import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import { generateKey } from "@edp/domain/auth/keyFormat"
import { ConfigProvider, Effect, PlatformError, Stdio, identity } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { TestConsole } from "effect/testing"

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly key: string
  readonly idempotencyKey: string | undefined
  readonly body: any
}

/** Responses by `METHOD /path`; a path may end in `*`. A number is a status with an error body of that code. */
export type Routes = Readonly<Record<string, (request: SeenRequest) => unknown>>

export const refusal = (status: number, code: string, more: object = {}): Response =>
  new Response(JSON.stringify({ code, message: `${code} it is`, ...more }), {
    status,
    headers: { "content-type": "application/json" }
  })

const findResponse = (routes: Routes, request: SeenRequest) => {
  const name = Object.keys(routes).find((route) => {
    const [method, path = ""] = route.split(" ")
    return (
      method === request.method &&
      (path.endsWith("*") ? request.path.startsWith(path.slice(0, -1)) : path === request.path)
    )
  })
  if (name === undefined) return refusal(404, "NOT_FOUND")
  const response = routes[name]?.(request)
  if (response instanceof Response) return response
  const status = request.method === "POST" && /^\/v1\/[a-z-]+$/u.test(request.path) ? 201 : 200
  return response === undefined
    ? new Response(null, { status: 204 })
    : new Response(JSON.stringify(response), { status, headers: { "content-type": "application/json" } })
}

/** Standard error of a command line with --json, its error as people read it. */
export const errorText = (stderr: string) =>
  stderr
    .split("\n")
    .map((line) => {
      if (!line.startsWith("{")) return line
      const { code, details, message } = JSON.parse(line) as Record<"code" | "message", string> & {
        readonly details: ReadonlyArray<string>
      }
      return [`${code}: ${message}`, ...details.map((detail) => `  ${detail}`)].join("\n")
    })
    .join("\n")

export const page = (data: ReadonlyArray<unknown>) => ({
  data,
  page: 1,
  perPage: 20,
  totalItems: data.length,
  totalPages: Math.ceil(data.length / 20)
})

export const newKey = (type: ApiKeyType) => generateKey(type, randomBytes)

/** Runs a command line against a service that responds by routes; without a route it is unreachable. */
export const run = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  options: {
    readonly routes?: Routes
    readonly env?: Readonly<Record<string, string>>
    /** Standard output is a terminal, and the programs that are started are collected instead. */
    readonly started?: Array<ReadonlyArray<string>>
  } = {}
) {
  const requests: Array<SeenRequest> = []
  const http = HttpClient.make((request, url) => {
    if (options.routes === undefined) {
      const cause = Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } })
      return Effect.fail(
        new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
      )
    }
    const body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : "null"
    const seen: SeenRequest = {
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      key: request.headers["service-api-key"] ?? "",
      idempotencyKey: request.headers["idempotency-key"],
      body: JSON.parse(body)
    }
    requests.push(seen)
    return Effect.succeed(HttpClientResponse.fromWeb(request, findResponse(options.routes, seen)))
  })
  const [before, errorsBefore] = [yield* TestConsole.logLines, yield* TestConsole.errorLines]
  const onTerminal =
    (started: Array<ReadonlyArray<string>>) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      effect.pipe(
        Effect.updateService(Stdio.Stdio, (stdio) => ({ ...stdio, stdoutIsTerminal: Effect.succeed(true) })),
        Effect.updateService(ChildProcessSpawner.ChildProcessSpawner, (spawner) => ({
          ...spawner,
          spawn: (command) => {
            if (ChildProcess.isStandardCommand(command)) started.push([command.command, ...command.args].map(String))
            return Effect.fail(PlatformError.systemError({ _tag: "NotFound", module: "ChildProcess", method: "spawn" }))
          }
        }))
      )
  const code = yield* runCli(args).pipe(
    options.started === undefined ? identity : onTerminal(options.started),
    Effect.provide(NodeServices.layer),
    Effect.provideService(HttpClient.HttpClient, http),
    Effect.provideService(TerminalCapabilities.TerminalCapabilities, {
      canColor: false,
      canAnimate: false,
      canPrompt: false
    }),
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromEnv({ env: { EDP_DATA_DIR: "/nonexistent", ...options.env } })
    )
  )
  const stdout = (yield* TestConsole.logLines).slice(before.length).join("\n")
  const stderr = (yield* TestConsole.errorLines).slice(errorsBefore.length).join("\n")
  return { code, stdout, stderr, requests }
})
