import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import { DestinationsRepository } from "./DestinationsRepository.ts"
import { type DestinationRow, purposeOf } from "./destinationRow.ts"
import type { Target } from "./senders/DestinationSender.ts"

/** A destination for its sender, and what of events it wants. */
export interface SendingTarget extends Target {
  readonly includeWeather: boolean
}

/** Destinations as senders need them: with their secrets. */
export class Targets extends Context.Service<
  Targets,
  {
    /** Those of the ids that exist, are active and can be opened. */
    readonly byIds: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, SendingTarget>>
    readonly of: (row: DestinationRow) => Effect.Effect<SendingTarget>
  }
>()("@edp/server/destinations/Targets") {
  static readonly layer = Layer.effect(
    Targets,
    Effect.gen(function* () {
      const repository = yield* DestinationsRepository
      const box = yield* SecretBox

      const secretsOf = (row: DestinationRow, now: number) => {
        const previous =
          row.sealedPreviousSecret !== null && (row.previousSecretUntil?.getTime() ?? 0) > now
            ? [row.sealedPreviousSecret]
            : []
        const sealed = [...(row.sealedSecret === null ? [] : [row.sealedSecret]), ...previous]
        return Effect.forEach(sealed, (secret) => box.open(purposeOf("secret", row.id), secret))
      }

      const headersOf = ({ id, sealedHeaders }: DestinationRow) =>
        sealedHeaders === null
          ? Effect.succeed(Redacted.make<Readonly<Record<string, string>>>({}))
          : Effect.map(box.open(purposeOf("headers", id), sealedHeaders), (headers) =>
              Redacted.make(JSON.parse(Redacted.value(headers)) as Readonly<Record<string, string>>)
            )

      const passwordOf = ({ id, sealedPassword }: DestinationRow) =>
        sealedPassword === null ? Effect.succeed(null) : box.open(purposeOf("password", id), sealedPassword)

      const urlOf = ({ id, sealedUrl, url }: DestinationRow) => {
        if (sealedUrl !== null) return box.open(purposeOf("url", id), sealedUrl)
        return Effect.succeed(url === null ? null : Redacted.make(url))
      }

      const of = Effect.fnUntraced(function* (row: DestinationRow) {
        return {
          id: row.id,
          workspaceId: row.workspaceId,
          destinationType: row.destinationType,
          label: row.label,
          url: yield* urlOf(row),
          email: row.email,
          phoneNumber: row.phoneNumber,
          manufacturer: row.manufacturer,
          kafkaConfig: row.kafkaConfig,
          kafkaPassword: yield* passwordOf(row),
          secrets: yield* secretsOf(row, yield* Clock.currentTimeMillis),
          headers: yield* headersOf(row),
          includeWeather: row.includeWeather === true
        }
      })

      // One that cannot be opened holds up no other: its deliveries wait.
      const openable = (row: DestinationRow) =>
        of(row).pipe(
          Effect.map((target) => [[target.id, target] as const]),
          Effect.catchCause((cause) =>
            Effect.as(Effect.logWarning(`The secrets of destination ${row.id} cannot be opened`, cause), [])
          )
        )

      return {
        of,
        byIds: (ids) =>
          Effect.flatMap(repository.active(ids), (rows) =>
            Effect.map(Effect.forEach(rows, openable), (targets) => new Map(targets.flat()))
          )
      }
    })
  )
}
