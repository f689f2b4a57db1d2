import { type Destination, MASK } from "@edp/domain/destinations/Destination"
import type { KafkaConfigInput } from "@edp/domain/destinations/KafkaConfig"
import { invalid, type ValidationError } from "@edp/domain/errors/ApiErrors"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { DestinationsRepository } from "./DestinationsRepository.ts"
import { type DestinationRow, secretPurpose, shownUrl, publicUrl, toDestination } from "./destinationRow.ts"
import type { Target } from "./senders/DestinationSender.ts"

type Headers = Readonly<Record<string, string>>

/** A destination for its sender, and its selection of events. */
export interface SendingTarget extends Target {
  readonly includeWeather: boolean
}

/** Opens and seals what a destination keeps secret: its URL, signing secrets, headers and password. */
export class DestinationSecrets extends Context.Service<
  DestinationSecrets,
  {
    /** The destination as responses show it, with its secret and headers and, where `isWhole`, its whole URL. */
    readonly shown: (row: DestinationRow, isWhole: boolean) => Effect.Effect<Destination>
    readonly openHeaders: (row: DestinationRow) => Effect.Effect<Headers | null>
    /** The columns of a URL; none for one that stays the same. */
    readonly sealUrl: (
      id: string,
      url: string | undefined,
      before?: DestinationRow
    ) => Effect.Effect<Partial<Pick<DestinationRow, "url" | "sealedUrl">>>
    readonly sealSecret: (id: string, secret: string) => Effect.Effect<Uint8Array>
    /** The sealed headers; those of `before` where they stay the same. */
    readonly sealHeaders: (
      id: string,
      headers: Headers | null,
      before?: DestinationRow
    ) => Effect.Effect<Uint8Array | null>
    /** The sealed password. The mask stands for the one of `before`, which must exist then. */
    readonly sealPassword: (
      id: string,
      config: KafkaConfigInput | undefined,
      before: Uint8Array | null
    ) => Effect.Effect<Uint8Array | null, ValidationError>
    readonly target: (row: DestinationRow) => Effect.Effect<SendingTarget>
    /** Targets of the destinations that exist, are active and can be opened. */
    readonly targets: (
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, SendingTarget>, DatabaseUnavailable>
  }
>()("@edp/server/destinations/DestinationSecrets") {
  static readonly layer = Layer.effect(
    DestinationSecrets,
    Effect.gen(function* () {
      const repository = yield* DestinationsRepository
      const box = yield* SecretBox

      const open = (kind: Parameters<typeof secretPurpose>[0], id: string, sealed: Uint8Array | null) =>
        sealed === null ? Effect.succeed(null) : box.open(secretPurpose(kind, id), sealed)

      const openHeaders = ({ id, sealedHeaders }: DestinationRow) =>
        Effect.map(open("headers", id, sealedHeaders), (text) =>
          text === null ? null : (JSON.parse(Redacted.value(text)) as Headers)
        )

      /** Rows of before URLs were sealed hold the URL itself. */
      const openUrl = ({ id, sealedUrl, url }: DestinationRow) =>
        sealedUrl === null ? Effect.succeed(url === null ? null : Redacted.make(url)) : open("url", id, sealedUrl)

      const target = Effect.fnUntraced(function* (row: DestinationRow) {
        const now = yield* Clock.currentTimeMillis
        const previous = (row.previousSecretUntil?.getTime() ?? 0) > now ? row.sealedPreviousSecret : null
        const secrets = yield* Effect.forEach([row.sealedSecret, previous], (sealed) => open("secret", row.id, sealed))
        return {
          id: row.id,
          workspaceId: row.workspaceId,
          destinationType: row.destinationType,
          label: row.label,
          url: yield* openUrl(row),
          email: row.email,
          phoneNumber: row.phoneNumber,
          manufacturer: row.manufacturer,
          kafkaConfig: row.kafkaConfig,
          kafkaPassword: yield* open("password", row.id, row.sealedPassword),
          secrets: secrets.filter((secret) => secret !== null),
          headers: Redacted.make((yield* openHeaders(row)) ?? {}),
          includeWeather: row.includeWeather === true
        }
      })

      // A destination that cannot be opened delays no other one: its deliveries wait.
      const openable = (row: DestinationRow) =>
        target(row).pipe(
          Effect.map((opened) => [[opened.id, opened] as const]),
          Effect.catchCause((cause) =>
            Effect.as(Effect.logWarning(`The secrets of destination ${row.id} can't be decrypted`, cause), [])
          )
        )

      return {
        openHeaders,
        target,
        targets: (ids) =>
          Effect.flatMap(repository.active(ids), (rows) =>
            Effect.map(Effect.forEach(rows, openable), (found) => new Map(found.flat()))
          ),
        shown: Effect.fnUntraced(function* (row, isWhole) {
          const url = isWhole ? yield* openUrl(row) : null
          const secret = yield* open("secret", row.id, row.sealedSecret)
          return toDestination(row, {
            url: url === null ? publicUrl(row) : Redacted.value(url),
            secret: secret === null ? null : Redacted.value(secret),
            headers: yield* openHeaders(row)
          })
        }),
        sealUrl: Effect.fnUntraced(function* (id, url, before) {
          if (url === undefined) return {}
          const known = before === undefined ? null : yield* openUrl(before)
          if (known !== null && Redacted.value(known) === url) return {}
          return { url: shownUrl(url), sealedUrl: yield* box.seal(secretPurpose("url", id), Redacted.make(url)) }
        }),
        sealSecret: (id, secret) => box.seal(secretPurpose("secret", id), Redacted.make(secret)),
        sealHeaders: Effect.fnUntraced(function* (id, headers, before) {
          const text = JSON.stringify(headers)
          if (before !== undefined && JSON.stringify(yield* openHeaders(before)) === text) return before.sealedHeaders
          if (headers === null || Object.keys(headers).length === 0) return null
          return yield* box.seal(secretPurpose("headers", id), Redacted.make(text))
        }),
        sealPassword: Effect.fnUntraced(function* (id, config, before) {
          if (config === undefined) return before
          const password = config.sasl?.password
          if (password === undefined) return null
          if (password !== MASK) return yield* box.seal(secretPurpose("password", id), Redacted.make(password))
          return (
            before ?? (yield* invalid({ "kafkaConfig.sasl.password": "Must be the password: no password is stored" }))
          )
        })
      }
    })
  )
}
