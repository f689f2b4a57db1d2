import { Layer } from "effect"
import * as devices from "../devices/layer.ts"
import { DeviceHistoryLive } from "./history/DeviceHistoryLive.ts"
import { HistoryDeletionRepository } from "./retention/HistoryDeletionRepository.ts"
import { HistoryRepository } from "./history/HistoryRepository.ts"
import { ReadingCounts } from "./history/ReadingCounts.ts"
import { ReadingPages } from "./history/ReadingPages.ts"
import { BulkTelemetryPush } from "./ingest/BulkTelemetryPush.ts"
import { DirectDevices } from "./ingest/DirectDevices.ts"
import {
  DirectIntegrationHandlers,
  DirectIntegrationAliases,
  KeptReadingsHandlers,
  ReadingPagesHandlers
} from "./ReadingsHandlers.ts"
import { DirectIntegrationRepository } from "./ingest/DirectIntegrationRepository.ts"
import { KeptReadings } from "./retention/KeptReadings.ts"
import { Provisioning } from "./ingest/Provisioning.ts"
import { TelemetryPush } from "./ingest/TelemetryPush.ts"
import { TelemetryRepository } from "./ingest/TelemetryRepository.ts"
import { TelemetryWriter } from "./ingest/TelemetryWriter.ts"
import { HistoryDeletion } from "./retention/HistoryDeletion.ts"
import { ReadingRetention } from "./retention/ReadingRetention.ts"
import { RetentionRepository } from "./retention/RetentionRepository.ts"

const kept = KeptReadings.layer.pipe(Layer.provide(RetentionRepository.layer))

/** Needs `RollupsOfDevice`, which the slice `metrics` provides. */
const deletion = HistoryDeletion.layer.pipe(Layer.provide(HistoryDeletionRepository.layer))

/** Storage of readings, for sources other than the API. */
export const writing = Layer.mergeAll(DirectDevices.layer, TelemetryWriter.layer, kept).pipe(
  Layer.provide([DirectIntegrationRepository.layer, TelemetryRepository.layer])
)

const ingest = Layer.mergeAll(TelemetryPush.layer, BulkTelemetryPush.layer, Provisioning.layer).pipe(
  Layer.provide([writing, DirectIntegrationRepository.layer, devices.layer, deletion])
)

/** The implementation of the port `DeviceHistory`. */
export const ports = DeviceHistoryLive.pipe(Layer.provide(ReadingCounts.layer), Layer.provide(HistoryRepository.layer))

/** Needs `SealingPlanner` and `RollupsOfDevice`, which the slice `metrics` provides. */
export const layer = Layer.mergeAll(ingest, kept, deletion, ReadingRetention.layer).pipe(
  Layer.provide([RetentionRepository.layer, kept])
)

export const handlers = DirectIntegrationHandlers.pipe(Layer.provide(ingest))

/** The direct integration's routes under `/v1`. */
export const aliases = DirectIntegrationAliases.pipe(Layer.provide(ingest))

const pages = ReadingPages.layer.pipe(Layer.provide(HistoryRepository.layer))

export const dashboardHandlers = Layer.merge(KeptReadingsHandlers, ReadingPagesHandlers).pipe(
  Layer.provide([kept, pages])
)
