import { Effect, Redacted, Schema } from "effect"
import type { AdapterPackage } from "@edp/adapter-kit/AdapterPackage"
import type { Account } from "@edp/adapter-kit/Account"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { confirmByState } from "@edp/domain/commands/confirmByState"
import type { Manifest, ManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { acmeApi } from "./AcmeApi.ts"
import { discovered, Live, observed, Systems } from "./responses.ts"

const Settings = Schema.Struct({
  /** Address of the manufacturer's API, without a slash at its end. */
  apiUrl: Schema.String.check(Schema.isPattern(/^https:\/\/[^\s/]+$/))
})

const Credentials = Schema.Struct({ key: Schema.RedactedFromValue(Schema.String) })
type Credentials = typeof Credentials.Type

const manifest: Manifest = {
  slug: "blueprint",
  name: "Acme",
  deviceTypes: ["battery"],
  commands: ["battery:set-reserve"],
  authorization: "form",
  polling: { busy: 30, normal: 120, idle: 600, asleep: 600, discovery: 86_400 },
  quotas: [{ scope: "account", calls: 1000, window: 86_400, headroom: 0.1 }],
  confirmWithin: 120
}

/**
 * An adapter to copy: a cloud whose accounts are linked by an API key, with batteries. The contract test runs it against a
 * made-up manufacturer; it is in no installation.
 */
export const blueprintAdapter: ManufacturerAdapter<typeof Settings.Type, Credentials> = {
  manifest,
  settings: Settings,
  credentials: Credentials,
  create: ({ apiUrl }, host) =>
    Effect.sync(() => {
      const api = ({ credentials, http }: Account<Credentials>) => acmeApi(http, apiUrl, credentials.key)
      return {
        authorization: {
          kind: "form",
          fields: [
            {
              name: "key",
              label: { en: "API key", es: "Clave de API" },
              help: { en: "From your account's settings at Acme", es: "De los ajustes de su cuenta de Acme" },
              kind: "password",
              required: true
            }
          ],
          connect: Effect.fn("Blueprint.connect")(function* ({ key = "" }) {
            if (key === "") return yield* AdapterError.of("misconfigured", "key is required")
            const credentials = { key: Redacted.make(key) }
            const profile = yield* acmeApi(host.http, apiUrl, credentials.key)
              .get("/v1/profile", Schema.Struct({ id: Schema.String, name: Schema.String }))
              .pipe(
                Effect.mapError((error) =>
                  error.failure === "grant_lost"
                    ? AdapterError.of("misconfigured", "Acme does not know this key", { upstream: error.upstream })
                    : error
                )
              )
            return { externalId: profile.id, name: profile.name, credentials, expiresAt: null }
          })
        },
        discoverDevices: Effect.fn("Blueprint.discoverDevices")(function* (account) {
          const { systems } = yield* api(account).get("/v1/systems", Systems)
          return systems.map(discovered)
        }),
        readDevices: Effect.fn("Blueprint.readDevices")(function* (account) {
          const { systems } = yield* api(account).get("/v1/systems", Systems)
          const observations = yield* Effect.forEach(systems, (system) =>
            Effect.map(api(account).get(`/v1/systems/${encodeURIComponent(system.id)}/live`, Live), (live) =>
              observed(system, live)
            )
          )
          const isBusy = observations.some(
            ({ state }) => state !== null && "chargeRate" in state && state.chargeRate !== 0
          )
          return { observations, alerts: [], devices: systems.map(discovered), activity: isBusy ? "busy" : "normal" }
        }),
        sendCommand: Effect.fn("Blueprint.sendCommand")(function* (account, { device, input, type }) {
          if (type !== "battery:set-reserve") {
            return yield* AdapterError.of("refused", `The device does not support ${type}`, {
              commandReason: "unsupported_value"
            })
          }
          const percent = input["chargePercentage"] as number
          const path = `/v1/systems/${encodeURIComponent(device.manufacturerDeviceId)}`
          const { reserve } = yield* api(account).get(`${path}/live`, Live)
          if (reserve === percent) return { status: "completed", reason: "already_so", output: null, upstream: null }
          yield* api(account).put(`${path}/reserve`, { percent })
          return { status: "accepted", reason: null, output: null, upstream: null }
        }),
        confirms: ({ input, type }, { state }, before) => confirmByState(type, input, state, before)
      }
    })
}

export default { port: 1, adapter: blueprintAdapter } satisfies AdapterPackage
