import { Clock, Context, Effect, Layer } from "effect"
import { makeConnectionRunner } from "../platform/device-networks/ConnectionRunner.ts"
import type { BrokerAddress } from "../platform/device-networks/MqttBrokers.ts"
import type { JobRunner } from "../platform/jobs/JobRunner.ts"
import { logFailure } from "../platform/logs/repeatedFailures.ts"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { publicationLimits as limits } from "./publicationLimits.ts"
import { passwordPurpose, type PublicationRow } from "./publicationRow.ts"
import { makePublicationSessions } from "./PublicationSession.ts"
import { PublicationWorkRepository } from "./PublicationWorkRepository.ts"

/** Holds the connections of publications to their brokers: each is held by one instance. */
export class PublicationRunner extends Context.Service<
  PublicationRunner,
  JobRunner & { readonly limitWaits: Effect.Effect<unknown, DatabaseUnavailable> }
>()("@edp/server/PublicationRunner") {
  static readonly layer = Layer.effect(
    PublicationRunner,
    Effect.gen(function* () {
      const work = yield* PublicationWorkRepository
      const box = yield* SecretBox
      const hold = yield* makePublicationSessions

      const toAddress = Effect.fnUntraced(function* (row: PublicationRow): Effect.fn.Return<BrokerAddress> {
        const { fingerprint, host, port, sealedPassword, tls, username } = row
        const password = sealedPassword === null ? null : yield* box.open(passwordPurpose(row.id), sealedPassword)
        return { host, port, tls, fingerprint, username, password, version: 5 }
      })

      return yield* makeConnectionRunner<PublicationRow>({
        name: "PublicationRunner",
        noun: "publications to Home Assistant",
        topic: "home assistant",
        limits,
        leases: work.leases,
        byIds: work.byIds,
        hold: Effect.fnUntraced(function* (job, row, noteConnected) {
          const connectedAt = new Date(yield* Clock.currentTimeMillis)
          yield* hold({
            row,
            address: yield* toAddress(row),
            current: work.held(job),
            stored: Effect.map(work.byIds([row.id]), ([one]) => one),
            onPublished: (figures) => Effect.andThen(noteConnected, work.connected(job, { connectedAt, ...figures }))
          })
        }),
        fail: Effect.fnUntraced(function* (job, row, error, pauseMs) {
          const at = new Date(yield* Clock.currentTimeMillis)
          yield* work.failed(job, row.version, error.message, at, pauseMs)
          yield* logFailure(
            "publication to Home Assistant",
            `The publication ${row.id} to the MQTT broker ${row.host}:${row.port} failed and is tried again: ${error.message}`
          )
        })
      })
    })
  )
}
