import { Clock, Effect, Schema } from "effect"
import { confirmByState } from "@edp/domain/commands/confirmByState"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type {
  Account,
  AccountReport,
  DeviceObservation,
  DiscoveredDevice,
  LinkedDevice
} from "@edp/adapter-kit/Account"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { FormValues } from "@edp/adapter-kit/broker/brokerForm"
import type { ReportedStatic } from "@edp/adapter-kit/decoding/observation"
import { securedHttp } from "@edp/adapter-kit/http/securedHttp"
import type { AdapterInstance, AnyManufacturerAdapter, ManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { needsCapacity } from "./capacity.ts"
import { type DeviceTemplate, manufacturerSlug } from "./DeviceTemplate.ts"
import { restoreSettings, sendHttpCommand } from "./httpCommands.ts"
import { httpFormFields, readHttpForm } from "./httpForm.ts"
import { HttpCredentials, type HttpSession, httpSession, type LoginState } from "./HttpSession.ts"
import { decodeResponses, reportedSerial, type ReadResponse } from "./httpExchange.ts"
import type { HttpDevice, HttpTemplate } from "./HttpTemplate.ts"
import { provenAgainst } from "./templateParts.ts"

/** A manufacturer whose devices are described by templates over HTTP. */
export interface HttpManufacturer {
  readonly slug: string
  readonly name: string
  /** At least one; a person chooses among several. */
  readonly templates: ReadonlyArray<HttpTemplate>
}

/** Seconds. */
const polling = { busy: 10, normal: 15, idle: 60, asleep: 60, discovery: 3600 } as const
/** Logins of so many accounts are kept; the oldest one is made anew. */
const LOGINS_LIMIT = 1000
const STAND_IN =
  "Shipped templates: an HTTP server of the tests with responses in the documented shape, not the product"

const distinct = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(all)]

const supported = ({ commands }: HttpDevice) => Object.keys(commands ?? {}) as ReadonlyArray<CommandSlug>

const takesPower = ({ commands }: HttpDevice) => JSON.stringify(commands ?? {}).includes('"input":"targetPowerW"')

const reportedStatic = (device: HttpDevice, measured: ReportedStatic): object | null => {
  // Without a capacity a battery has no static fields.
  const isKnown = device.type !== "battery" || "capacity" in measured
  const all = { ...measured, ...(isKnown && takesPower(device) && { takesTargetPower: true }) }
  return Object.keys(all).length === 0 ? null : all
}

const known = ({ capacities }: HttpCredentials, { key }: HttpDevice) => {
  const capacity = capacities[key]
  return capacity === undefined ? {} : { capacity }
}

const hasValues = (template: HttpTemplate, read: ReadResponse) => (device: HttpDevice) => {
  const { problems, state } = decodeResponses(device, template, read)
  const reported = state as Readonly<Record<string, unknown>>
  return problems.length > 0 || Object.keys(device.fields).some((field) => (reported[field] ?? "unknown") !== "unknown")
}

/** The adapter of a manufacturer whose local devices respond by HTTP. */
export const httpTemplateAdapter = ({
  name,
  slug,
  templates
}: HttpManufacturer): ManufacturerAdapter<{}, HttpCredentials> => {
  const devices = templates.flatMap((template) => template.devices)
  const commands = distinct(devices.flatMap(supported))
  const interval = Math.max(0, ...templates.map((template) => template.interval ?? 0))
  return {
    manifest: {
      slug,
      name,
      deviceTypes: distinct(devices.map(({ type }) => type)),
      commands,
      authorization: "form",
      polling: {
        ...polling,
        busy: Math.max(polling.busy, interval),
        normal: Math.max(polling.normal, interval),
        idle: Math.max(polling.idle, interval),
        asleep: Math.max(polling.asleep, interval)
      },
      quotas: [],
      confirmWithin: Math.max(60, 3 * interval),
      products: templates.map((template) => ({
        name: template.name,
        deviceTypes: distinct(template.devices.map(({ type }) => type)),
        commands: distinct(template.devices.flatMap(supported)),
        provenAgainst: provenAgainst(STAND_IN, template)
      })),
      provenAgainst: STAND_IN
    },
    settings: Schema.Struct({}),
    credentials: HttpCredentials,
    create: Effect.fnUntraced(function* (_, host) {
      const logins = new Map<string, LoginState>()
      const loginState = (accountId: string) => {
        const state = logins.get(accountId) ?? {}
        logins.delete(accountId)
        logins.set(accountId, state)
        if (logins.size > LOGINS_LIMIT) logins.delete(logins.keys().next().value!)
        return state
      }

      const client = (http: Account<unknown>["http"], credentials: HttpCredentials) =>
        credentials.tls ? securedHttp(host, credentials) : http

      /** The template of an account, and its device as it is reached. */
      const resolve = Effect.fnUntraced(function* (account: Account<HttpCredentials>) {
        const { credentials } = account
        const template = templates.find((one) => one.slug === credentials.template)
        if (template === undefined) {
          return yield* AdapterError.of("misconfigured", `There is no template ${credentials.template} any more`)
        }
        const session = httpSession(client(account.http, credentials), template, credentials, loginState(account.id))
        return { template, session, account }
      })

      /** Another device at the address, such as after the router gave it away, is not taken for the linked one. */
      const readRound = Effect.fnUntraced(function* (
        template: HttpTemplate,
        session: HttpSession,
        { serial }: HttpCredentials
      ) {
        const read = yield* session.readAll()
        const found = reportedSerial(template, read)
        if (serial !== null && found !== undefined && found !== serial) {
          return yield* AdapterError.of(
            "misconfigured",
            `Another device responds at the address: ${found} in place of ${serial}`
          )
        }
        return read
      })

      const connect = Effect.fnUntraced(function* (values: FormValues) {
        const { credentials, template } = yield* readHttpForm(templates, values)
        const session = httpSession(client(host.http, credentials), template, credentials, {})
        const read = yield* Effect.mapError(session.readAll(), (error) =>
          error.failure === "grant_lost"
            ? AdapterError.of("misconfigured", `${error.message}. Correct the user name, the password or the token`)
            : error
        )
        if (!template.devices.some(hasValues(template, read))) {
          return yield* AdapterError.of(
            "misconfigured",
            `The device responds by HTTP, and has none of the values of ${template.name}. Choose another kind of device.`
          )
        }
        const serial = reportedSerial(template, read) ?? null
        return {
          externalId: serial ?? `${credentials.host.toLowerCase()}:${credentials.port}`,
          name: credentials.givenName ?? template.name,
          credentials: { ...credentials, serial },
          expiresAt: null
        }
      })

      const deviceId = (account: Account<HttpCredentials>, { key }: HttpDevice) => `${account.externalId}/${key}`

      const target = Effect.fnUntraced(function* (account: Account<HttpCredentials>, linked: LinkedDevice) {
        const { session, template } = yield* resolve(account)
        const device = template.devices.find((one) => deviceId(account, one) === linked.manufacturerDeviceId)
        if (device === undefined) {
          return yield* AdapterError.of("refused", `${template.name} has no such device any more`, {
            commandReason: "unsupported_value"
          })
        }
        return { template, session, device }
      })

      const control: Pick<
        AdapterInstance<HttpCredentials>,
        "sendCommand" | "restore" | "confirms"
      > = commands.length === 0
        ? {}
        : {
            sendCommand: (account, request) =>
              Effect.flatMap(target(account, request.device), (own) => sendHttpCommand(own, request)),
            restore: (account, request) =>
              Effect.flatMap(target(account, request.device), (own) => restoreSettings(own, request)),
            confirms: ({ input, type }, { state }, before) => confirmByState(type, input, state, before)
          }

      return {
        authorization: { kind: "form", fields: httpFormFields(templates), connect },
        discoverDevices: Effect.fnUntraced(function* (account) {
          const { session, template } = yield* resolve(account)
          const { credentials } = account
          const read = yield* readRound(template, session, credentials)
          return template.devices.map((device): DiscoveredDevice => {
            const own = known(credentials, device)
            const { staticState } = decodeResponses(device, template, read, own)
            return {
              manufacturerDeviceId: deviceId(account, device),
              type: device.type,
              name: `${credentials.givenName ?? template.name} ${device.key}`,
              model: device.model,
              serialNumber: credentials.serial,
              rawType: template.slug,
              rawModel: null,
              modelYear: null,
              staticState: reportedStatic(device, staticState),
              commands: supported(device),
              incompatible: !hasValues(template, read)(device)
                ? "The device responds, and has none of the values of this part."
                : needsCapacity(device) && !("capacity" in own)
                  ? "The device does not report the capacity of the battery. Connect it again and enter the capacity."
                  : null
            }
          })
        }),
        readDevices: Effect.fnUntraced(function* (account) {
          const { session, template } = yield* resolve(account)
          const read = yield* readRound(template, session, account.credentials)
          const observedAt = yield* Clock.currentTimeMillis
          const observations = template.devices.map((device): DeviceObservation => {
            const decoded = decodeResponses(device, template, read, known(account.credentials, device))
            return {
              manufacturerDeviceId: deviceId(account, device),
              observedAt,
              // A state without one of the contract's required fields is no reading: what is not known is left out, never 0.
              state: decoded.missing.length === 0 ? decoded.state : null,
              asleep: false,
              coordinates: null,
              staticState: reportedStatic(device, decoded.staticState),
              commands: supported(device),
              interventions: [],
              problems: decoded.problems
            }
          })
          const isIdle = observations.every(({ state }) => state === null || ("power" in state && state.power === 0))
          return {
            observations,
            alerts: [],
            devices: null,
            activity: isIdle ? "idle" : "normal"
          } satisfies AccountReport
        }),
        ...control
      }
    })
  }
}

/** An adapter for each manufacturer with templates over HTTP. One with several asks which. */
export const httpTemplateAdapters = (templates: ReadonlyArray<DeviceTemplate>): ReadonlyArray<AnyManufacturerAdapter> =>
  Array.from(
    Map.groupBy(
      templates.filter((one) => one.protocol === "http"),
      manufacturerSlug
    ),
    ([slug, own]) => httpTemplateAdapter({ slug, name: own[0]!.manufacturer, templates: own })
  )
