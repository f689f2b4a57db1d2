import type { Account, AccountReport, DeviceObservation, DiscoveredDevice } from "@edp/adapter-kit/Account"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { confirmByState } from "@edp/domain/commands/confirmByState"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"
import type {
  AdapterInstance,
  CommandRequest,
  CommandResult,
  Manifest,
  ManufacturerAdapter,
  Polling,
  Quota,
  Renewed
} from "@edp/adapter-kit/ManufacturerAdapter"
import { Effect, Schema } from "effect"

const Credentials = Schema.Struct({ token: Schema.String, refreshToken: Schema.String })
export type ScriptedCredentials = typeof Credentials.Type
type ScriptedCall = Account<ScriptedCredentials>
type RestoreRequest = Pick<CommandRequest, "device" | "snapshot" | "takenSince">

/** The behaviour of one account at the scripted manufacturer. */
export interface ScriptedAccount {
  devices: ReadonlyArray<DiscoveredDevice>
  read: (account: ScriptedCall) => Effect.Effect<AccountReport, AdapterError>
  refresh: (account: ScriptedCall) => Effect.Effect<Renewed<ScriptedCredentials>, AdapterError>
  subscribe: (
    account: ScriptedCall,
    report: (report: AccountReport) => Effect.Effect<void>
  ) => Effect.Effect<never, AdapterError>
  send: (request: CommandRequest) => Effect.Effect<CommandResult, AdapterError>
  restore: (snapshot: unknown, takenSince: RestoreRequest["takenSince"]) => Effect.Effect<CommandResult, AdapterError>
}

/** The manufacturer has accepted the command and says no more. */
export const acceptedCommand: CommandResult = { status: "accepted", reason: null, output: null, upstream: null }

export interface ScriptedOptions {
  /** The device types and the commands of its devices. */
  readonly commands?: ReadonlyArray<CommandSlug>
  /** Instead of the comparison of the contract's fields. */
  readonly confirms?: AdapterInstance<ScriptedCredentials>["confirms"]
  readonly slug?: string
  readonly polling?: Polling | null
  readonly quotas?: ReadonlyArray<Quota>
  /** The manufacturer's accounts hold connections. */
  readonly subscribes?: boolean
  readonly settings?: ManufacturerAdapter<any, any>["settings"]
  readonly create?: (settings: any, host: AdapterHost) => Effect.Effect<void, AdapterError>
}

export const discovered = (id: string, more: Partial<DiscoveredDevice> = {}): DiscoveredDevice => ({
  manufacturerDeviceId: id,
  type: "meter",
  name: `Meter ${id}`,
  model: "Scripted meter",
  serialNumber: `SN-${id}`,
  rawType: "METER",
  rawModel: "M1",
  modelYear: null,
  staticState: null,
  commands: [],
  incompatible: null,
  ...more
})

export const observation = (id: string, more: Partial<DeviceObservation> = {}): DeviceObservation => ({
  manufacturerDeviceId: id,
  observedAt: Date.now(),
  state: { power: 100 },
  asleep: false,
  coordinates: null,
  staticState: null,
  commands: null,
  interventions: null,
  problems: [],
  ...more
})

export const report = (
  observations: ReadonlyArray<DeviceObservation>,
  more: Partial<AccountReport> = {}
): AccountReport => ({ observations, alerts: [], devices: null, activity: "normal", ...more })

const polling: Polling = { busy: 10, normal: 60, idle: 300, asleep: 600, discovery: 3600 }

/** A manufacturer that does what a test says, and counts what it is asked. */
export const scriptedAdapter = (options: ScriptedOptions = {}) => {
  const slug = options.slug ?? "scripted"
  const accounts = new Map<string, ScriptedAccount>()
  const counts = { read: 0, refresh: 0, discover: 0, revoke: 0, subscribe: 0, created: 0 }
  const revoked: Array<string> = []
  /** Accounts that are being read or refreshed, and whether one ever was so twice at once. */
  const busy = new Map<string, number>()
  let overlaps = 0
  /** The commands and the settings to restore that the manufacturer got, in order. */
  const sent: Array<{ externalId: string; id: string; type: CommandSlug; input: CommandRequest["input"] }> = []
  const restored: Array<{ externalId: string; snapshot: unknown }> = []
  let host: AdapterHost | undefined

  const exclusive = <A, E>({ externalId }: ScriptedCall, work: Effect.Effect<A, E>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        busy.set(externalId, (busy.get(externalId) ?? 0) + 1)
        if (busy.get(externalId)! > 1) overlaps++
      }),
      () => work,
      () => Effect.sync(() => busy.set(externalId, busy.get(externalId)! - 1))
    )
  const script = ({ externalId }: ScriptedCall) => accounts.get(externalId)!

  const manifest: Manifest = {
    slug,
    name: "Scripted",
    deviceTypes: ["meter", "battery", "vehicle"],
    commands: options.commands ?? ["battery:set-reserve"],
    authorization: "oauth2",
    polling: options.polling === undefined ? polling : options.polling,
    quotas: options.quotas ?? [],
    confirmWithin: 60
  }
  const instance: AdapterInstance<ScriptedCredentials> = {
    authorization: {
      kind: "oauth2",
      authorizationUrl: ({ state }) => Effect.succeed(`https://scripted.example/authorize?state=${state}`),
      exchange: () => Effect.fail(AdapterError.of("refused", "Not scripted"))
    },
    refresh: (account) =>
      exclusive(
        account,
        Effect.suspend(() => {
          counts.refresh++
          return script(account).refresh(account)
        })
      ),
    revoke: (account) =>
      Effect.sync(() => {
        counts.revoke++
        revoked.push(account.externalId)
      }),
    discoverDevices: (account) =>
      Effect.sync(() => {
        counts.discover++
        return script(account).devices
      }),
    readDevices: (account) =>
      exclusive(
        account,
        Effect.suspend(() => {
          counts.read++
          return script(account).read(account)
        })
      ),
    ...(options.commands !== undefined && {
      sendCommand: (account: ScriptedCall, request: CommandRequest) =>
        Effect.suspend(() => {
          sent.push({ externalId: account.externalId, id: request.id, type: request.type, input: request.input })
          return script(account).send(request)
        }),
      restore: (account: ScriptedCall, { snapshot, takenSince }: RestoreRequest) =>
        Effect.suspend(() => {
          restored.push({ externalId: account.externalId, snapshot })
          return script(account).restore(snapshot, takenSince)
        }),
      confirms:
        options.confirms ??
        ((request: Pick<CommandRequest, "type" | "input">, { state }: DeviceObservation, before: object | null) =>
          confirmByState(request.type, request.input, state, before))
    }),
    ...(options.subscribes === true && {
      subscribe: (account: ScriptedCall, receive: (report: AccountReport) => Effect.Effect<void>) =>
        Effect.suspend(() => {
          counts.subscribe++
          return script(account).subscribe(account, receive)
        })
    })
  }
  const adapter: ManufacturerAdapter<any, any> = {
    manifest,
    settings: options.settings ?? Schema.Struct({}),
    credentials: Credentials,
    create: (settings, given) =>
      Effect.gen(function* () {
        counts.created++
        host = given
        yield* options.create?.(settings, given) ?? Effect.void
        return instance
      })
  }

  let made = 0
  return {
    adapter,
    counts,
    revoked,
    sent,
    restored,
    host: () => host!,
    overlaps: () => overlaps,
    /** A new account at the manufacturer, with one meter unless the script says otherwise. */
    account: (more: Partial<ScriptedAccount> = {}) => {
      const externalId = `person-${++made}-${Math.random().toString(36).slice(2)}`
      const device = `D-${externalId}`
      const account: ScriptedAccount = {
        devices: [discovered(device)],
        read: () => Effect.sync(() => report([observation(device)])),
        refresh: ({ credentials }) =>
          Effect.sync(() => ({
            credentials: { token: `${credentials.token}+`, refreshToken: `${credentials.refreshToken}+` },
            expiresAt: Date.now() + 3_600_000
          })),
        subscribe: () => Effect.never,
        send: () => Effect.succeed(acceptedCommand),
        restore: () => Effect.succeed({ ...acceptedCommand, status: "completed" }),
        ...more
      }
      accounts.set(externalId, account)
      return { externalId, device, account }
    }
  }
}
