import { createHash } from "node:crypto"
import { AdapterError, type AdapterFailure } from "@edp/adapter-kit/AdapterError"
import type { DiscoveredDevice } from "@edp/adapter-kit/Account"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"
import type { AnyManufacturerAdapter, Manifest } from "@edp/adapter-kit/ManufacturerAdapter"
import { simulatorAdapter } from "@edp/adapter-simulator/simulatorAdapter"
import { Effect, Redacted, Schema } from "effect"

/** An account at the manufacturer. */
export interface FakeAccount {
  readonly externalId: string
  readonly devices: ReadonlyArray<Partial<DiscoveredDevice> & { readonly manufacturerDeviceId: string }>
}

interface Code {
  readonly account: FakeAccount
  /** The PKCE challenge of the sign-in that it was issued for. */
  readonly challenge: string
  used: boolean
}

const device = (given: FakeAccount["devices"][number]): DiscoveredDevice => ({
  type: "battery",
  name: `Battery ${given.manufacturerDeviceId}`,
  model: "Fake battery",
  serialNumber: null,
  rawType: null,
  rawModel: null,
  modelYear: null,
  staticState: null,
  commands: [],
  incompatible: null,
  ...given
})

const manifest = (slug: string, authorization: Manifest["authorization"]): Manifest => ({
  slug,
  name: `Maker ${slug}`,
  deviceTypes: ["battery", "meter"],
  commands: ["battery:set-reserve"],
  authorization,
  polling: null,
  quotas: [],
  confirmWithin: 60
})

const settings = Schema.Struct({})
const credentials = Schema.Struct({ token: Schema.String })

const hash = (verifier: string) => createHash("sha256").update(verifier).digest("base64url")

/**
 * A manufacturer in memory whose people sign in by OAuth 2.0, with an authorization server that checks PKCE and gives each code
 * once, and two others: one linked by a form, one whose devices open the connection.
 */
export class FakeManufacturer {
  private readonly codes = new Map<string, Code>()
  private readonly accounts = new Map<string, FakeAccount>()
  private hosts = new Map<string, AdapterHost>()
  private counter = 0
  /** External ids of accounts whose permission was ended. */
  readonly revoked: Array<string> = []
  /** Runs before each exchange of a code. */
  beforeExchange: () => Promise<void> = async () => {}
  /** Failures of the next calls. */
  failing: {
    authorize?: AdapterFailure
    exchange?: AdapterFailure
    discover?: AdapterFailure
    connect?: AdapterFailure
  } = {}

  /** A new account of some batteries. */
  account(...ids: ReadonlyArray<string>): FakeAccount {
    const number = ++this.counter
    return { externalId: `external-${number}`, devices: ids.map((id) => ({ manufacturerDeviceId: `${id}-${number}` })) }
  }

  /** The person approves at the manufacturer's page: the parameters of the callback. */
  approve(authorizationUrl: string, account: FakeAccount): Record<string, string> {
    const { searchParams } = new URL(authorizationUrl)
    const code = `code-${++this.counter}`
    this.codes.set(code, { account, challenge: searchParams.get("code_challenge")!, used: false })
    return { state: searchParams.get("state")!, code }
  }

  /** The person refuses, or something else goes wrong there. */
  deny(authorizationUrl: string, error = "access_denied"): Record<string, string> {
    return { state: new URL(authorizationUrl).searchParams.get("state")!, error }
  }

  /** A device that connects inbound reports its devices. */
  async connectInbound(slug: string, accountId: string, account: FakeAccount) {
    const report = { observations: [], alerts: [], devices: account.devices.map(device), activity: "normal" as const }
    await Effect.runPromise(this.hosts.get(slug)!.report(accountId, report))
  }

  private readonly call = <A>(kind: keyof FakeManufacturer["failing"], run: () => A) =>
    Effect.suspend(() => {
      const failure = this.failing[kind]
      if (failure !== undefined) return Effect.fail(AdapterError.of(failure, `The fake fails: ${failure}`))
      return Effect.sync(run)
    })

  private readonly link = (account: FakeAccount) => {
    this.accounts.set(account.externalId, account)
    return {
      externalId: account.externalId,
      name: account.externalId,
      credentials: { token: "secret-token" },
      expiresAt: null
    }
  }

  private readonly capabilities = {
    discoverDevices: ({ externalId }: { readonly externalId: string }) =>
      this.call("discover", () => (this.accounts.get(externalId)?.devices ?? []).map(device)),
    revoke: ({ externalId }: { readonly externalId: string }) =>
      Effect.sync(() => {
        this.revoked.push(externalId)
      })
  }

  readonly oauth: AnyManufacturerAdapter = {
    manifest: manifest("fakecloud", "oauth2"),
    settings,
    credentials,
    create: () =>
      Effect.succeed({
        ...this.capabilities,
        authorization: {
          kind: "oauth2",
          issuer: "https://fakecloud.example",
          authorizationUrl: ({ state, redirectUri, codeVerifier }) =>
            this.call("authorize", () => {
              const parameters = {
                state,
                redirect_uri: redirectUri,
                code_challenge: hash(Redacted.value(codeVerifier)),
                code_challenge_method: "S256"
              }
              return `https://fakecloud.example/authorize?${new URLSearchParams(parameters)}`
            }),
          exchange: ({ parameters, codeVerifier }) =>
            Effect.andThen(
              Effect.promise(() => this.beforeExchange()),
              Effect.flatMap(
                this.call("exchange", () => this.codes.get(parameters.code ?? "")),
                (code) => {
                  if (code === undefined || code.used || code.challenge !== hash(Redacted.value(codeVerifier))) {
                    return Effect.fail(AdapterError.of("refused", "invalid_grant"))
                  }
                  code.used = true
                  return Effect.succeed(this.link(code.account))
                }
              )
            )
        }
      })
  }

  readonly form: AnyManufacturerAdapter = {
    manifest: manifest("fakelocal", "form"),
    settings,
    credentials,
    create: () =>
      Effect.succeed({
        ...this.capabilities,
        authorization: {
          kind: "form",
          fields: [{ name: "host", label: { en: "Host", es: "Equipo" }, kind: "host", required: true }],
          connect: ({ host = "" }) =>
            this.call("connect", () => this.link({ externalId: host, devices: [{ manufacturerDeviceId: host }] }))
        }
      })
  }

  readonly inbound: AnyManufacturerAdapter = {
    manifest: manifest("fakestation", "inbound"),
    settings,
    credentials,
    create: (_, host) =>
      Effect.sync(() => {
        this.hosts.set("fakestation", host)
        return {
          authorization: {
            kind: "inbound",
            fields: [{ name: "identity", label: { en: "Identity", es: "Identidad" }, kind: "text", required: true }],
            invite: ({ identity = "" }) =>
              Effect.sync(() => ({
                account: this.link({ externalId: identity, devices: [] }),
                instructions: [
                  { label: { en: "Address", es: "Dirección" }, value: `wss://example.com/${identity}`, secret: false },
                  { label: { en: "Password", es: "Clave" }, value: "inbound-secret", secret: true }
                ]
              }))
          }
        }
      })
  }

  /** Together with the simulator. */
  readonly adapters = [simulatorAdapter, this.oauth, this.form, this.inbound]
}
