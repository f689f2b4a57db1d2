import { Effect, Layer } from "effect"
import { SilenceWorker } from "../alerts/SilenceWorker.ts"
import { AuditRetentionWorker } from "../audit/AuditRetentionWorker.ts"
import { DeliveryClearingWorker } from "../destinations/DeliveryClearingWorker.ts"
import { DeliveryWorker } from "../destinations/DeliveryWorker.ts"
import { SiteChangeWorker } from "../devices/SiteChangeWorker.ts"
import { EventRetentionWorker } from "../events/EventRetentionWorker.ts"
import { RetentionWorker } from "../readings/retention/RetentionWorker.ts"
import { RollupWorker } from "../metrics/RollupWorker.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"

const every = Layer.mergeAll(
  SilenceWorker,
  AuditRetentionWorker,
  RollupWorker,
  RetentionWorker,
  EventRetentionWorker,
  DeliveryWorker,
  DeliveryClearingWorker,
  SiteChangeWorker
)

/** The work that nobody asks for. An instance in the role `api` leaves it to the others. */
export const Workers = Layer.unwrap(Effect.map(ServerConfig, ({ role }) => (role === "api" ? Layer.empty : every)))
