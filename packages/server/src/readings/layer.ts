import { Layer } from "effect"
import * as devices from "../devices/layer.ts"
import { DeviceHistoryLive } from "./history/DeviceHistoryLive.ts"
import { DeviceHistoryRepository } from "./history/DeviceHistoryRepository.ts"
import { HistoryLooks } from "./history/HistoryLooks.ts"
import { HistoryPagesRepository } from "./history/HistoryPagesRepository.ts"
import { ReadingCounts } from "./history/ReadingCounts.ts"
import { ReadingCountsRepository } from "./history/ReadingCountsRepository.ts"
import { BulkTelemetryPush } from "./ingest/BulkTelemetryPush.ts"
import { DirectDevices } from "./ingest/DirectDevices.ts"
import { DirectIntegrationHandlers, DirectIntegrationTwins } from "./ingest/DirectIntegrationHandlers.ts"
import { DirectIntegrationRepository } from "./ingest/DirectIntegrationRepository.ts"
import { KeptReadings } from "./ingest/KeptReadings.ts"
import { KeptReadingsHandlers } from "./ingest/KeptReadingsHandlers.ts"
import { KeptReadingsRepository } from "./ingest/KeptReadingsRepository.ts"
import { Provisioning } from "./ingest/Provisioning.ts"
import { QuickPush } from "./ingest/QuickPush.ts"
import { TelemetryPush } from "./ingest/TelemetryPush.ts"
import { TelemetryRepository } from "./ingest/TelemetryRepository.ts"
import { TelemetryWriter } from "./ingest/TelemetryWriter.ts"
import { ForgottenHistories } from "./retention/ForgottenHistories.ts"
import { ReadingRetention } from "./retention/ReadingRetention.ts"
import { RetentionRepository } from "./retention/RetentionRepository.ts"

const kept = KeptReadings.layer.pipe(Layer.provide(KeptReadingsRepository.layer))

const forgotten = ForgottenHistories.layer.pipe(Layer.provide(DeviceHistoryRepository.layer))

const pushes = Layer.mergeAll(TelemetryPush.layer, BulkTelemetryPush.layer, QuickPush.layer).pipe(
  Layer.provide([DirectDevices.layer, TelemetryWriter.layer, kept])
)

const ingest = Layer.merge(pushes, Provisioning.layer).pipe(
  Layer.provide([DirectIntegrationRepository.layer, TelemetryRepository.layer, devices.layer, forgotten])
)

/** What devices ask of their readings. */
export const ports = DeviceHistoryLive.pipe(
  Layer.provide([HistoryLooks.layer, ReadingCounts.layer]),
  Layer.provide([HistoryPagesRepository.layer, DeviceHistoryRepository.layer, ReadingCountsRepository.layer])
)

/** Needs `FrozenEnergy`, which metrics provide. */
export const layer = Layer.mergeAll(ingest, kept, forgotten, ReadingRetention.layer).pipe(
  Layer.provide([RetentionRepository.layer, kept])
)

export const handlers = DirectIntegrationHandlers.pipe(Layer.provide(ingest))

/** The direct integration's routes under `/v1`. */
export const twins = DirectIntegrationTwins.pipe(Layer.provide(ingest))

export const dashboardHandlers = KeptReadingsHandlers.pipe(Layer.provide(kept))
