import type { Account } from "@edp/adapter-kit/Account"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { builtInAdapters } from "@edp/server/adapters/builtInAdapters"
import type { AnyManufacturerAdapter, ManufacturerAdapter, Quota } from "@edp/adapter-kit/ManufacturerAdapter"
import { Effect, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { QUOTA_CALLS, QUOTA_SECONDS } from "./vendorQuota.ts"

// Preloaded into servers of benchmarks (`node --import`): two manufacturers of batteries that complete every command join the
// built-in ones. One limits calls.

const Settings = Schema.Struct({ baseUrl: Schema.String })
const Credentials = Schema.Struct({ token: Schema.String })

const send = ({ credentials, http }: Account<typeof Credentials.Type>, baseUrl: string, id: string) =>
  http
    .execute(
      HttpClientRequest.post(`${baseUrl}/commands`).pipe(
        HttpClientRequest.setHeader("authorization", `Bearer ${credentials.token}`),
        HttpClientRequest.bodyJsonUnsafe({ id })
      )
    )
    .pipe(
      Effect.flatMap((response) => response.text),
      Effect.mapError((error) => AdapterError.of("unreachable", error.message))
    )

const completed = { status: "completed" as const, reason: null, output: null, upstream: null }

const makeAdapter = (
  slug: string,
  quotas: ReadonlyArray<Quota>
): ManufacturerAdapter<typeof Settings.Type, typeof Credentials.Type> => ({
  manifest: {
    slug,
    name: slug,
    deviceTypes: ["battery"],
    commands: ["battery:set-reserve", "battery:set-operating-mode"],
    authorization: "oauth2",
    polling: null,
    quotas,
    confirmWithin: 60
  },
  settings: Settings,
  credentials: Credentials,
  create: ({ baseUrl }) =>
    Effect.succeed({
      authorization: {
        kind: "oauth2",
        authorizationUrl: () => Effect.succeed(baseUrl),
        exchange: () => Effect.fail(AdapterError.of("refused", "Benchmarks store accounts themselves"))
      },
      sendCommand: Effect.fnUntraced(function* (account, { id, saveSnapshot, snapshot, type }) {
        if (type === "battery:set-operating-mode" && snapshot === null)
          yield* saveSnapshot({ mode: "self-consumption" })
        yield* send(account, baseUrl, id)
        return completed
      }),
      restore: (account, { device }) => Effect.as(send(account, baseUrl, device.id), completed)
    })
})

const adapters = builtInAdapters as Array<AnyManufacturerAdapter>
adapters.push(
  makeAdapter("limited", [{ scope: "manufacturer", calls: QUOTA_CALLS, window: QUOTA_SECONDS, headroom: 0 }]),
  makeAdapter("unlimited", [])
)
