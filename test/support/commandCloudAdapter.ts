import type { Account } from "@edp/adapter-kit/Account"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { builtInAdapters } from "@edp/server/adapters/builtInAdapters"
import type {
  AnyManufacturerAdapter,
  CommandRequest,
  CommandResult,
  ManufacturerAdapter
} from "@edp/adapter-kit/ManufacturerAdapter"
import { Effect, Schema } from "effect"
import { HttpClientRequest } from "effect/http"

// Preloaded into servers of tests (`node --import`): the manufacturer of `CommandCloud.ts` joins the built-in ones.

const Settings = Schema.Struct({ baseUrl: Schema.String, holdsConnections: Schema.String })
type Call = Account<object>
type Written = Readonly<Record<string, string>>

const accepted: CommandResult = { status: "accepted", reason: null, output: null, upstream: null }

const adapter: ManufacturerAdapter<typeof Settings.Type, object> = {
  manifest: {
    slug: "commandcloud",
    name: "Command cloud",
    deviceTypes: ["battery"],
    commands: ["battery:set-reserve", "battery:set-operating-mode"],
    authorization: "oauth2",
    polling: null,
    quotas: [],
    confirmWithin: 900
  },
  settings: Settings,
  credentials: Schema.Struct({}),
  create: ({ baseUrl, holdsConnections }) => {
    const ask = ({ http }: Call, method: "GET" | "PUT", path: string, headers: Written) =>
      http
        .execute(
          HttpClientRequest.make(method)(`${baseUrl}/${path}`, {
            headers: { ...headers, "x-worker": `${process.pid}` }
          })
        )
        .pipe(
          Effect.flatMap((response) => response.json),
          Effect.mapError((error) => AdapterError.of("unreachable", error.message))
        )
    const write = (account: Call, device: string, token: string, fields: Written) =>
      Effect.forEach(
        Object.entries(fields),
        ([field, value]) => ask(account, "PUT", `${device}/${field}`, { "x-token": token, "x-value": value }),
        { discard: true }
      )
    const sendCommand = Effect.fnUntraced(function* (account: Call, request: CommandRequest) {
      const { device, id, input, saveSnapshot, snapshot, type } = request
      const name = device.manufacturerDeviceId
      if (holdsConnections === "no") {
        yield* ask(account, "PUT", `${name}/elsewhere`, { "x-token": id })
        return yield* AdapterError.of("elsewhere", "Another instance holds the connection")
      }
      const mode = String(input["operatingMode"])
      if (type !== "battery:set-operating-mode") yield* ask(account, "PUT", `${name}/send`, { "x-token": id })
      else if (mode === "reset") yield* write(account, name, id, snapshot as Written)
      else {
        if (snapshot === null) yield* saveSnapshot(yield* ask(account, "GET", name, {}))
        yield* write(account, name, id, { mode, power: `${mode} power` })
      }
      return accepted
    })
    return Effect.succeed({
      authorization: {
        kind: "oauth2",
        authorizationUrl: () => Effect.succeed(baseUrl),
        exchange: () => Effect.fail(AdapterError.of("refused", "Tests store accounts themselves"))
      },
      sendCommand,
      restore: (account, { device, snapshot }) =>
        Effect.as(write(account, device.manufacturerDeviceId, "restore", snapshot as Written), accepted)
    })
  }
}

;(builtInAdapters as Array<AnyManufacturerAdapter>).push(adapter)
