import { Context, Data, Effect, Layer } from "effect"
import type { Account, DiscoveredDevice } from "../adapters/Account.ts"
import type { AdapterError } from "../adapters/AdapterError.ts"
import type { AdapterInstance, LinkedAccount, Manifest } from "../adapters/ManufacturerAdapter.ts"
import { Adapters } from "./Adapters.ts"

/** The manufacturer has no adapter, or the operator has not set it up. */
export class NotConnectable extends Data.TaggedError("NotConnectable")<{ readonly manufacturer: string }> {}

/** Devices that another connected account of the workspace, or the manufacturer itself, reports. */
export class DeviceTaken extends Data.TaggedError("DeviceTaken")<{
  readonly manufacturerDeviceIds: ReadonlyArray<string>
}> {}

export type AccountStatus = "pending" | "connected" | "failed" | "disconnected"

export interface NewAccount {
  readonly workspaceId: string
  readonly manufacturer: string
  readonly referenceId: string
  readonly tags: ReadonlyArray<string>
  readonly linked: LinkedAccount<unknown>
}

/** Choices of a person for an account. */
export interface FinishedAccount {
  readonly customerId: string | null
  readonly siteId: string | null
  readonly referenceId: string
  readonly tags: ReadonlyArray<string>
  readonly manufacturerDeviceIds: ReadonlyArray<string>
  /** The account whose sign-in is repeated. */
  readonly reconnect: string | null
}

/** An identity at a manufacturer, by itself or as that of an account. */
export type AccountIdentity = { readonly workspaceId: string; readonly manufacturer: string } & (
  | { readonly externalId: string }
  | { readonly accountId: string }
)

/** Accounts at manufacturers, with their devices. */
export class Accounts extends Context.Service<
  Accounts,
  {
    /** Manufacturers whose settings are complete. */
    readonly manufacturers: Effect.Effect<ReadonlyArray<Manifest>>
    readonly instance: (slug: string) => Effect.Effect<AdapterInstance<unknown>, NotConnectable>
    /** Stores a pending account with encrypted credentials. Returns its id. */
    readonly begin: (account: NewAccount) => Effect.Effect<string>
    /** Asks the manufacturer for the devices of an account; of one that dials in, what it has reported so far. */
    readonly discover: (accountId: string) => Effect.Effect<ReadonlyArray<DiscoveredDevice>, AdapterError>
    /** The account of the same identity that is not pending. */
    readonly linkedElsewhere: (
      identity: AccountIdentity
    ) => Effect.Effect<
      { readonly id: string; readonly status: AccountStatus; readonly referenceId: string } | undefined
    >
    /** A connected account of the manufacturer with the reference. */
    readonly findConnected: (account: {
      readonly workspaceId: string
      readonly manufacturer: string
      readonly referenceId: string
    }) => Effect.Effect<string | undefined>
    /**
     * Connects a pending account and stores its devices. A failed or disconnected account of the same identity goes on under its
     * id, with its devices and their history. Joins the caller's transaction.
     */
    readonly finish: (
      accountId: string,
      choice: FinishedAccount
    ) => Effect.Effect<{ readonly accountId: string; readonly deviceIds: ReadonlyArray<string> }, DeviceTaken>
    /** Deletes a pending account and ends the person's permission. */
    readonly discard: (accountId: string) => Effect.Effect<void>
    /** Disconnects an account and its devices, and ends the person's permission as far as the manufacturer is reachable. */
    readonly disconnect: (workspaceId: string, accountId: string) => Effect.Effect<void>
    /** Calls an adapter with fresh credentials, such as for a command. */
    readonly withAccount: <A, E>(
      accountId: string,
      use: (account: Account<unknown>, instance: AdapterInstance<unknown>) => Effect.Effect<A, E>
    ) => Effect.Effect<A, E | AdapterError>
  }
>()("@edp/server/accounts/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const adapters = yield* Adapters
      const missing = Effect.die(new Error("Accounts are not stored yet"))
      return {
        manufacturers: Effect.succeed(adapters.running.map(({ manifest }) => manifest)),
        instance: (slug) => {
          const found = adapters.get(slug)
          return found === undefined
            ? Effect.fail(new NotConnectable({ manufacturer: slug }))
            : Effect.succeed(found.instance)
        },
        begin: () => missing,
        discover: () => missing,
        linkedElsewhere: () => missing,
        findConnected: () => missing,
        finish: () => missing,
        discard: () => missing,
        disconnect: () => missing,
        withAccount: () => missing
      }
    })
  )
}
