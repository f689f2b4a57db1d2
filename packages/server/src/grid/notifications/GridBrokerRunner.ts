import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { Clock, Context, Effect, Latch, Layer } from "effect"
import { makeConnectionRunner } from "../../platform/device-networks/ConnectionRunner.ts"
import type { RowClaim } from "../../platform/jobs/leasedRows.ts"
import { MqttBrokers } from "../../platform/device-networks/MqttBrokers.ts"
import type { JobRunner } from "../../platform/jobs/JobRunner.ts"
import { logFailure } from "../../platform/logs/repeatedFailures.ts"
import { SecretBox } from "../../platform/secrets/SecretBox.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { GridConnectionsRepository } from "../GridConnectionsRepository.ts"
import { type ConnectionRow, gridSecretPurpose } from "../gridRow.ts"
import { VtnClient } from "../vtn-client/VtnClient.ts"
import { GridNotifications } from "./GridNotifications.ts"
import {
  GridNotificationsRepository,
  type NotificationRow,
  type SubscribedBroker
} from "./GridNotificationsRepository.ts"
import { gridNotificationLimits as limits } from "./notificationLimits.ts"

const ERROR_LENGTH = 1000

/** Holds the connections to the brokers of VTNs: each is held by one instance. A message makes its connection due, whatever it says. */
export class GridBrokerRunner extends Context.Service<
  GridBrokerRunner,
  JobRunner & { readonly limitWaits: Effect.Effect<unknown, DatabaseUnavailable> }
>()("@edp/server/grid/GridBrokerRunner") {
  static readonly layer = Layer.effect(
    GridBrokerRunner,
    Effect.gen(function* () {
      const repository = yield* GridNotificationsRepository
      const connections = yield* GridConnectionsRepository
      const { hint } = yield* GridNotifications
      const brokers = yield* MqttBrokers
      const vtn = yield* VtnClient
      const box = yield* SecretBox

      /** A token of the VTN as the password for its broker; null for one that asks for no login. */
      const findPassword = Effect.fnUntraced(function* (connection: ConnectionRow, { username }: SubscribedBroker) {
        if (username === null) return null
        const { id, sealedSecret } = connection
        const clientSecret = sealedSecret === null ? null : yield* box.open(gridSecretPurpose(id), sealedSecret)
        return yield* vtn
          .token({ ...connection, clientSecret })
          .pipe(Effect.mapError(({ message }) => AdapterError.of("unreachable", message)))
      })

      const hold = Effect.fnUntraced(function* (
        job: RowClaim,
        row: NotificationRow,
        noteConnected: Effect.Effect<void>
      ) {
        const [connection] = yield* connections.byId(row.id)
        if (connection === undefined || row.broker === null || row.mechanism !== "mqtt") return
        const { broker: found } = row
        const password = yield* findPassword(connection, found)
        const arrived = yield* Latch.make()
        let hasArrived = false
        const { filters, host, port, tls, username } = found
        const broker = yield* brokers.openOutbound(
          { host, port, tls, fingerprint: null, username, password, version: 5 },
          () => {
            hasArrived = true
            arrived.openUnsafe()
          }
        )
        const work = Effect.gen(function* () {
          const refusals = yield* Effect.forEach(filters, (filter) =>
            broker.subscribe([filter]).pipe(
              Effect.as([]),
              Effect.catchIf(
                ({ failure }) => failure === "refused",
                (error) => Effect.succeed([error])
              )
            )
          )
          if (refusals.every(([error]) => error !== undefined)) yield* Effect.fail(refusals.flat()[0]!)
          yield* noteConnected
          yield* repository.connected(job, new Date(yield* Clock.currentTimeMillis))
          // A change may have been missed while there was no connection.
          yield* connections.hint(row.id)
          while (true) {
            yield* arrived.close
            if ((yield* repository.held(job))?.version !== row.version) return
            if (hasArrived) {
              hasArrived = false
              yield* hint(row.id)
            } else yield* Effect.timeoutOption(arrived.await, limits.wantedMs)
          }
        })
        yield* Effect.raceFirst(work, broker.ended)
      })

      return yield* makeConnectionRunner<NotificationRow>({
        name: "GridBrokerRunner",
        noun: "connections to the brokers of VTNs",
        topic: "grid notifications",
        limits,
        leases: repository.leases,
        byIds: repository.byIds,
        hold,
        fail: Effect.fnUntraced(function* (job, row, error, pauseMs) {
          const message = `The VTN's MQTT broker: ${error.message}`.slice(0, ERROR_LENGTH)
          yield* repository.failed(job, row.version, message, pauseMs)
          yield* logFailure(
            "grid notifications",
            `The MQTT broker of the grid connection ${row.id} failed and is tried again: ${error.message}`
          )
        })
      })
    })
  )
}
