import type { CommandSlug, DeviceType } from "@edp/domain/devices/DeviceType"
import type { Effect, Schema } from "effect"
import type { Account, AccountReport, DiscoveredDevice } from "../Account.ts"
import { AdapterError, type AdapterFailure } from "../AdapterError.ts"
import type { CommandRequest, CommandResult, FormField } from "../ManufacturerAdapter.ts"
import type { ModbusUnit, Transport } from "./ModbusClient.ts"
import type { PlannedWrite } from "./registerWrites.ts"

export type OpenUnit = (unitId: number) => ModbusUnit

/** A form as a person filled it in, by the names of the fields. Optional fields may be absent or empty. */
export type FormValues = Readonly<Record<string, string>>

export interface RenewedMode {
  readonly unitId: number
  /** The registers of the mode. If they hold something else, somebody has ended the mode at the device. */
  readonly held: ReadonlyArray<PlannedWrite>
  readonly renewed: ReadonlyArray<PlannedWrite>
  readonly everySeconds: number
  /** Seconds that the mode lasts; null until it is ended. */
  readonly seconds: number | null
}

/** Forced modes of the devices of an account that last only while writes are repeated. */
export interface Renewals {
  /** In place of an earlier mode of the device. */
  readonly begin: (device: string, mode: RenewedMode) => Effect.Effect<void>
  readonly end: (device: string) => Effect.Effect<void>
}

/** A linked device with what the driver keeps of it. */
export interface DriverAccount<Config> extends Pick<Account<unknown>, "externalId" | "memory"> {
  readonly config: Config
  /** The person's name for the installation; null if none was given. */
  readonly givenName: string | null
  readonly renewals: Renewals
}

/** How one kind of device is read and controlled over Modbus. */
export interface ModbusDriver<Config = any> {
  readonly key: string
  /** For the choice among several kinds of a manufacturer. */
  readonly name: string
  readonly deviceTypes: ReadonlyArray<DeviceType>
  readonly commands: ReadonlyArray<CommandSlug>
  /** The counterpart with which its connection was tested, in English, where it is not that of the whole adapter. */
  readonly provenAgainst?: string
  /** How it is connected; a person chooses among several. `tcp` by default. */
  readonly transports?: ReadonlyArray<Transport>
  /** 502 by default. */
  readonly port?: number
  /** Seconds that the device needs before its first request on a connection. */
  readonly connectDelay?: number
  /** Fields besides the address. */
  readonly fields: ReadonlyArray<FormField>
  /** Stored as JSON with the address. */
  readonly config: Schema.Codec<Config, Schema.Json>
  /** Tries the device. `serial` identifies it wherever its address moves; null if it has none: then its unit at the address does. */
  readonly connect: (
    open: OpenUnit,
    values: FormValues
  ) => Effect.Effect<
    { readonly config: Config; readonly serial: string | null; readonly unitId: number; readonly name: string },
    AdapterError
  >
  readonly discover: (
    open: OpenUnit,
    account: DriverAccount<Config>
  ) => Effect.Effect<ReadonlyArray<DiscoveredDevice>, AdapterError>
  /** `observedAt` in milliseconds since 1970. */
  readonly read: (
    open: OpenUnit,
    account: DriverAccount<Config>,
    observedAt: number
  ) => Effect.Effect<AccountReport, AdapterError>
  readonly command: (
    open: OpenUnit,
    account: DriverAccount<Config>,
    request: CommandRequest
  ) => Effect.Effect<CommandResult, AdapterError>
  /** Writes the settings from before a forced mode back, and those of later commands as these left them. */
  readonly restore: (
    open: OpenUnit,
    account: DriverAccount<Config>,
    request: RestoreRequest
  ) => Effect.Effect<CommandResult, AdapterError>
}

export type RestoreRequest = Pick<CommandRequest, "device" | "snapshot" | "takenSince">

export const commandDone: CommandResult = { status: "completed", reason: null, output: null, upstream: null }

/** Nothing was sent: the device was so. */
export const commandAlreadyDone: CommandResult = { ...commandDone, reason: "already_so" }

/** The error with another failure or message. */
export const rewordError = (
  { commandReason, intervention, retryAt, upstream }: AdapterError,
  failure: AdapterFailure,
  message: string
): AdapterError => AdapterError.of(failure, message, { commandReason, intervention, retryAt, upstream })

export const nothingToRestore = AdapterError.of("refused", "There are no settings to return to", {
  commandReason: "precondition_unmet"
})
