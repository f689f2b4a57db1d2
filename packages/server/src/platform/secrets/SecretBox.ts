import { randomBytes } from "node:crypto"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { EncryptionKeys } from "./EncryptionKeys.ts"
import { keyFingerprint, NONCE_BYTES, open, seal, sealedWith } from "./sealed.ts"

/** Encrypts stored secrets that the service must be able to read again. */
export class SecretBox extends Context.Service<
  SecretBox,
  {
    /** Encrypts for one purpose, such as `destination secret` and the row's id. It opens only for the same purpose. */
    readonly seal: (purpose: string, secret: Redacted.Redacted) => Effect.Effect<Uint8Array>
    /** Dies if the value was changed, sealed for another purpose, or with a key that this instance does not have. */
    readonly open: (purpose: string, sealed: Uint8Array) => Effect.Effect<Redacted.Redacted>
    /** Encrypts a secret again, with the current key. */
    readonly reseal: (purpose: string, sealed: Uint8Array) => Effect.Effect<Uint8Array>
    /** The fingerprint of the current key. */
    readonly fingerprint: Uint8Array
  }
>()("@edp/server/platform/secrets/SecretBox") {
  static readonly layer = Layer.effect(
    SecretBox,
    Effect.map(EncryptionKeys, ({ current, previous }) => {
      const byFingerprint = new Map(
        [current, ...Option.toArray(previous)].map((key) => [
          Buffer.from(keyFingerprint(Redacted.value(key))).toString("hex"),
          key
        ])
      )
      const findKey = (sealed: Uint8Array) => byFingerprint.get(Buffer.from(sealedWith(sealed)).toString("hex"))
      const sealNow = (purpose: string, secret: Redacted.Redacted) =>
        Effect.sync(() => seal(Redacted.value(current), randomBytes(NONCE_BYTES), purpose, Redacted.value(secret)))
      const openNow = (purpose: string, sealed: Uint8Array) =>
        Effect.sync(() => {
          const key = findKey(sealed)
          if (key === undefined) throw new Error("A secret is encrypted with a key that this instance does not have")
          return Redacted.make(open(Redacted.value(key), purpose, sealed))
        })
      return {
        seal: sealNow,
        open: openNow,
        reseal: (purpose, sealed) => Effect.flatMap(openNow(purpose, sealed), (secret) => sealNow(purpose, secret)),
        fingerprint: keyFingerprint(Redacted.value(current))
      }
    })
  )
}
