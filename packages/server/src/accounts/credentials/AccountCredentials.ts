import { Clock, Context, Effect, Layer, Random, Redacted, Schema } from "effect"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { AnyManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { SecretBox } from "../../platform/secrets/SecretBox.ts"
import { type AccountRow, credentialsPurpose } from "../accountRow.ts"
import type { StoredCredentials } from "../AccountsRepository.ts"
import { renewalTime } from "../readingSchedule.ts"

/** Encrypts and decrypts the credentials of accounts. They appear in no error. */
export class AccountCredentials extends Context.Service<
  AccountCredentials,
  {
    readonly seal: (
      adapter: AnyManufacturerAdapter,
      accountId: string,
      credentials: unknown,
      expiresAt: number | null
    ) => Effect.Effect<StoredCredentials>
    readonly open: (
      adapter: AnyManufacturerAdapter,
      account: Pick<AccountRow, "id" | "sealedCredentials">
    ) => Effect.Effect<unknown, AdapterError>
    /** Encrypts sealed credentials for another account. */
    readonly move: (sealed: Uint8Array, fromId: string, toId: string) => Effect.Effect<Uint8Array>
  }
>()("@edp/server/accounts/AccountCredentials") {
  static readonly layer = Layer.effect(
    AccountCredentials,
    Effect.gen(function* () {
      const box = yield* SecretBox
      return {
        seal: Effect.fnUntraced(function* (adapter, accountId, credentials, expiresAt) {
          const json = yield* Schema.encodeUnknownEffect(adapter.credentials)(credentials).pipe(
            Effect.catch(() => Effect.die(new Error("The adapter's credentials do not have the form of their schema")))
          )
          const sealed = yield* box.seal(credentialsPurpose(accountId), Redacted.make(JSON.stringify(json)))
          if (expiresAt === null) return { sealed, expiresAt: null, refreshAt: null }
          const at = renewalTime(yield* Clock.currentTimeMillis, expiresAt, yield* Random.next)
          return { sealed, expiresAt: new Date(expiresAt), refreshAt: new Date(at) }
        }),
        open: Effect.fnUntraced(function* (adapter, { id, sealedCredentials }) {
          if (sealedCredentials === null) return yield* AdapterError.of("grant_lost", "The account is disconnected")
          const text = yield* box.open(credentialsPurpose(id), sealedCredentials)
          return yield* Schema.decodeUnknownEffect(adapter.credentials)(JSON.parse(Redacted.value(text))).pipe(
            Effect.mapError(() =>
              AdapterError.of("misconfigured", "The stored credentials do not have the form that the adapter expects")
            )
          )
        }),
        move: (sealed, fromId, toId) =>
          Effect.flatMap(box.open(credentialsPurpose(fromId), sealed), (text) =>
            box.seal(credentialsPurpose(toId), text)
          )
      }
    })
  )
}
