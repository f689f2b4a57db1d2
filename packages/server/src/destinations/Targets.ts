import type { DestinationType } from "@edp/domain/destinations/Destination"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { SecretBox } from "../secrets/SecretBox.ts"
import { DestinationsRepository } from "./DestinationsRepository.ts"
import { type DestinationRow, purposeOf } from "./destinationRow.ts"
import type { Target } from "./senders/DestinationSender.ts"

export interface SendingTarget extends Target {
  readonly destinationType: DestinationType
}

/** Destinations as senders need them: with their secrets. */
export class Targets extends Context.Service<
  Targets,
  {
    /** Those of the ids that exist and are active. */
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

      const of = Effect.fnUntraced(function* (row: DestinationRow) {
        const { destinationType, email, id, phoneNumber, url } = row
        const secrets = yield* secretsOf(row, yield* Clock.currentTimeMillis)
        return { id, destinationType, url, email, phoneNumber, secrets, headers: yield* headersOf(row) }
      })

      return {
        of,
        byIds: (ids) =>
          Effect.flatMap(repository.active(ids), (rows) =>
            Effect.map(
              Effect.forEach(rows, of),
              (targets) => new Map(targets.map((target) => [target.id, target] as const))
            )
          )
      }
    })
  )
}
