import type { Confirmation } from "@edp/domain/commands/confirmByState"
import type { CommandReason } from "@edp/domain/commands/CommandReason"
import type { CommandSlug, DeviceType } from "@edp/domain/devices/DeviceType"
import type { Language } from "@edp/domain/shared/Language"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { Data, type Effect, type Redacted, type Schema, type Scope } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Account, AccountReport, DeviceObservation, DiscoveredDevice, LinkedDevice } from "./Account.ts"
import type { AdapterError, Upstream } from "./AdapterError.ts"
import type { AdapterHost } from "./AdapterHost.ts"
import type { Simulation } from "./Simulation.ts"

/** A limit on calls, set by the manufacturer. All instances are counted together; the headroom stays free for commands. */
export interface Quota {
  /** The limit holds for one account, or for all accounts that the operator's client serves. */
  readonly scope: "account" | "manufacturer"
  readonly calls: number
  /** Length of the window in seconds, or the calendar month in UTC. */
  readonly window: number | "month"
  /** Share of the calls that polling leaves to commands and end users, from 0 to 1. */
  readonly headroom: number
}

/** How often an account is read, in seconds. */
export interface Polling {
  /** While something happens: a car charges, a command was sent. */
  readonly busy: number
  readonly normal: number
  /** While nothing happens, such as a solar inverter at night. */
  readonly idle: number
  /** While all devices sleep; reading must not wake them. */
  readonly asleep: number
  /** How often the account is asked for devices that were added. */
  readonly discovery: number
}

/** A product that an adapter links, by the name that people search for. */
export interface LinkedProduct {
  readonly name: string
  readonly deviceTypes: ReadonlyArray<DeviceType>
  readonly commands: ReadonlyArray<CommandSlug>
  /** The counterpart with which its connection was tested, in English, where it is not that of the whole adapter. */
  readonly provenAgainst?: string
}

/** A manufacturer's adapter, as data: its record, the connect pages and the docs are made from it. */
export interface Manifest {
  /** The manufacturer's slug. */
  readonly slug: string
  readonly name: string
  readonly deviceTypes: ReadonlyArray<DeviceType>
  /** Commands that some of its devices take. */
  readonly commands: ReadonlyArray<CommandSlug>
  readonly authorization: Authorization<never>["kind"]
  /** Null for devices that report by themselves. */
  readonly polling: Polling | null
  readonly quotas: ReadonlyArray<Quota>
  /** Seconds within which a command of each type is confirmed by the device's state. */
  readonly confirmWithin: number
  /** The products that it links; the adapter itself counts as one where it is absent. */
  readonly products?: ReadonlyArray<LinkedProduct>
  /** The counterpart with which the connection was tested, in English. */
  readonly provenAgainst?: string
}

/** A text in English, and in the other languages of the pages as far as an adapter has it. */
export type LocalizedText = { readonly en: string } & { readonly [language in Language]?: string }

/** The text in a language, else in English. */
export const localize = (text: LocalizedText, language: Language): string => text[language] ?? text.en

/** A field of a form with which a person names a local device or an account. */
export interface FormField {
  readonly name: string
  readonly label: LocalizedText
  readonly help?: LocalizedText
  readonly kind: "text" | "password" | "host" | "integer" | "choice"
  readonly choices?: ReadonlyArray<{ readonly value: string; readonly label: LocalizedText }>
  readonly minimum?: number
  readonly maximum?: number
  readonly initial?: string
  readonly required: boolean
}

/** An account with its credentials, which the platform stores encrypted. */
export interface LinkedAccount<Credentials> {
  /** The manufacturer's identity of the account: the same account always has the same. */
  readonly externalId: string
  /** Shown to the person and to operators. */
  readonly name: string
  readonly credentials: Credentials
  /** Milliseconds since 1970; null for credentials that do not expire. */
  readonly expiresAt: number | null
}

export interface Renewed<Credentials> {
  readonly credentials: Credentials
  readonly expiresAt: number | null
}

export interface AuthorizationRequest {
  /** Unguessable, for one use. */
  readonly state: string
  readonly redirectUri: string
  /** PKCE (RFC 7636). */
  readonly codeVerifier: Redacted.Redacted
  readonly language: Language
}

export interface AuthorizationCallback {
  /** All parameters with which the manufacturer sent the person back. */
  readonly parameters: Readonly<Record<string, string>>
  readonly redirectUri: string
  readonly codeVerifier: Redacted.Redacted
}

/** A step at the device itself, such as to type in the address that a charging station dials. */
export interface Instruction {
  readonly label: LocalizedText
  /** The text to type in; null for a step or a note without one. */
  readonly value: string | null
  readonly secret: boolean
  /** Something to know about the device rather than a step. */
  readonly isNote?: boolean
}

/** How an account or a device is linked. */
export type Authorization<Credentials> =
  | {
      /** The person signs in at the manufacturer (OAuth 2.0 authorization code, or a page of its like). */
      readonly kind: "oauth2"
      /** The only valid `iss` of a callback, if the manufacturer sends one (RFC 9207). */
      readonly issuer?: string
      readonly authorizationUrl: (request: AuthorizationRequest) => Effect.Effect<string, AdapterError>
      readonly exchange: (callback: AuthorizationCallback) => Effect.Effect<LinkedAccount<Credentials>, AdapterError>
    }
  | {
      /** The person fills in a form, such as a host in the operator's network. */
      readonly kind: "form"
      readonly fields: ReadonlyArray<FormField>
      /**
       * Tries the connection. `misconfigured`, `refused` and `pairing_required` are shown at the form. Where it has a host, they must be
       * said by a device of the kind: of `unreachable` and `contract` the person learns only that no device was reached.
       */
      readonly connect: (
        values: Readonly<Record<string, string>>
      ) => Effect.Effect<LinkedAccount<Credentials>, AdapterError>
    }
  | {
      /** The device dials the platform: the account waits for it. */
      readonly kind: "inbound"
      readonly fields: ReadonlyArray<FormField>
      readonly invite: (
        values: Readonly<Record<string, string>>
      ) => Effect.Effect<
        { readonly account: LinkedAccount<Credentials>; readonly instructions: ReadonlyArray<Instruction> },
        AdapterError
      >
    }

/** A command that a device has taken. */
export interface LaterCommand {
  readonly type: CommandSlug
  /** Valid for the type. */
  readonly input: Readonly<Record<string, unknown>>
}

export interface CommandRequest extends LaterCommand {
  /** The command's id: the idempotency token upstream. */
  readonly id: string
  readonly device: LinkedDevice
  /** Seconds after which the platform calls `restore`; the device's own timer is set, too, if it has one. */
  readonly revertAfter: number | null
  /** Newest state that the device reported, at whatever time; null if it never did. */
  readonly state: object | null
  /** The settings from before the forced mode that holds; null if none holds. JSON. */
  readonly snapshot: unknown
  /**
   * The newest command of each type that the device has taken from users since the snapshot was stored, other than modes. A reset
   * leaves their settings as they left them.
   */
  readonly takenSince: ReadonlyArray<LaterCommand>
  /**
   * Stores the settings from before a forced mode. It is called once, before the first write, and not where there is a snapshot: so
   * the snapshot of the first mode holds the settings that any mode over it may change. A mode that is so already writes nothing
   * and stores nothing.
   */
  readonly saveSnapshot: (snapshot: unknown) => Effect.Effect<void>
}

export interface CommandResult {
  /** `accepted`: the state has yet to confirm it. */
  readonly status: "accepted" | "completed"
  /**
   * `already_so`: nothing was sent, because the device itself shows the target now, and nothing that was sent before has yet to
   * take effect.
   */
  readonly reason: Extract<CommandReason, "already_so"> | null
  readonly output: Readonly<Record<string, unknown>> | null
  readonly upstream: Upstream | null
  /** The input as the device got it and will show it, where its own steps round it: it is confirmed by these values then. */
  readonly sentInput?: CommandRequest["input"] | null
}

/** A page or an endpoint that the adapter serves under its own path. */
export interface AdapterRoute {
  readonly method: "GET" | "POST"
  /** Begins with `/adapters/<slug>/`, or is an address that the protocol prescribes. */
  readonly path: `/${string}`
  readonly handle: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    never,
    HttpServerRequest.HttpServerRequest | Scope.Scope
  >
}

/**
 * A device that dials the platform is refused. `unauthenticated`: it is answered 401, and its address may fail only so often;
 * `busy`: it is answered 503 and may try again.
 */
export class InboundRefused extends Data.TaggedError("InboundRefused")<{
  readonly reason: "unauthenticated" | "busy"
}> {}

/** Devices that dial the platform on its own port, by an upgrade of HTTP/1.1 such as that to a WebSocket. */
export interface InboundListener {
  /** The paths of the devices begin with it. */
  readonly path: `/${string}/`
  /** Decides on a request before it is answered, by its path and headers. */
  readonly authenticate: (request: IncomingMessage) => Effect.Effect<TakeOver, InboundRefused>
  /** Ends all connections, because this instance of the platform stops. The devices dial again and reach another one. */
  readonly close: Effect.Effect<void>
}

/** Responds to the request and owns its connection from then on. */
export type TakeOver = (socket: Duplex, head: Buffer) => void

/**
 * An adapter at work in this process, for all accounts of its manufacturer. A capability that is absent does not exist at this
 * manufacturer.
 */
export interface AdapterInstance<Credentials> {
  readonly authorization: Authorization<Credentials>
  /** Fails with `grant_lost` if the manufacturer refuses. Never called twice at once for an account. */
  readonly refresh?: (account: Account<Credentials>) => Effect.Effect<Renewed<Credentials>, AdapterError>
  /** Ends the person's permission at the manufacturer. */
  readonly revoke?: (account: Account<Credentials>) => Effect.Effect<void, AdapterError>
  readonly discoverDevices?: (
    account: Account<Credentials>
  ) => Effect.Effect<ReadonlyArray<DiscoveredDevice>, AdapterError>
  /** Reads all devices of an account. */
  readonly readDevices?: (
    account: Account<Credentials>,
    devices: ReadonlyArray<LinkedDevice>
  ) => Effect.Effect<AccountReport, AdapterError>
  /** Holds a connection on which the account's devices report, until it is interrupted or fails. One instance holds it. */
  readonly subscribe?: (
    account: Account<Credentials>,
    report: (report: AccountReport) => Effect.Effect<void>
  ) => Effect.Effect<never, AdapterError>
  readonly sendCommand?: (
    account: Account<Credentials>,
    request: CommandRequest
  ) => Effect.Effect<CommandResult, AdapterError>
  /**
   * Writes the settings of a snapshot back, in reverse order, but those of `takenSince` as these commands left them. May be repeated
   * after a crash, and completes where they are so. Fails with `contract` if the snapshot is not one of this adapter.
   */
  readonly restore?: (
    account: Account<Credentials>,
    request: Pick<CommandRequest, "device" | "snapshot" | "takenSince">
  ) => Effect.Effect<CommandResult, AdapterError>
  /**
   * Compares a command with a device's state, also one of which the adapter has seen no response. `contrary` (another setting) counts
   * after `confirmWithin`, `contradicted` at once. `before` has some fields of the state before the command was sent; null
   * if it is not known.
   */
  readonly confirms?: (
    request: Pick<CommandRequest, "type" | "input">,
    observation: DeviceObservation,
    before: object | null
  ) => Confirmation
  readonly routes?: ReadonlyArray<AdapterRoute>
  readonly inbound?: InboundListener
  /** For operators; only a simulated manufacturer has it. */
  readonly simulation?: Simulation
}

/** A manufacturer's adapter: a plain value. The instance lives as long as its scope. */
export interface ManufacturerAdapter<Settings = never, Credentials = never> {
  readonly manifest: Manifest
  /**
   * The operator's settings: each field is read from the environment variable `EDP_<SLUG>_<FIELD>` in upper snake case, such as
   * EDP_TESLA_CLIENT_ID. Without its required settings the adapter is not there and the manufacturer is not connectable.
   */
  readonly settings: Schema.Codec<Settings, Readonly<Record<string, string | undefined>>>
  /** Stored encrypted, as JSON. */
  readonly credentials: Schema.Codec<Credentials, Schema.Json>
  readonly create: (
    settings: Settings,
    host: AdapterHost
  ) => Effect.Effect<AdapterInstance<Credentials>, AdapterError, Scope.Scope>
}

/** Any manufacturer's adapter. Its settings and credentials are opaque to everything but the adapter. */
export type AnyManufacturerAdapter = ManufacturerAdapter<any, any>
