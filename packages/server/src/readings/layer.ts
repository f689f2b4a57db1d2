import { Effect, Layer, Option } from "effect"
import * as audit from "../audit/layer.ts"
import * as devices from "../devices/layer.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { AbsentArchive } from "./archive/AbsentArchive.ts"
import { ArchiveBorder } from "./archive/ArchiveBorder.ts"
import { ArchivedReadings } from "./archive/ArchivedReadings.ts"
import { clickHouseArchive } from "./archive/ClickHouseArchive.ts"
import { ArchiveDeletion } from "./moving/ArchiveDeletion.ts"
import { ArchiveRepository } from "./moving/ArchiveRepository.ts"
import { ReadingsMover } from "./moving/ReadingsMover.ts"
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
  ReadingPagesHandlers,
  ReadingRetentionHandlers
} from "./ReadingsHandlers.ts"
import { DirectIntegrationRepository } from "./ingest/DirectIntegrationRepository.ts"
import { KeptReadings } from "./retention/KeptReadings.ts"
import { Provisioning } from "./ingest/Provisioning.ts"
import { TelemetryPush } from "./ingest/TelemetryPush.ts"
import { TelemetryRepository } from "./ingest/TelemetryRepository.ts"
import { TelemetryWriter } from "./ingest/TelemetryWriter.ts"
import { HistoryDeletion } from "./retention/HistoryDeletion.ts"
import { ReadingRetention } from "./retention/ReadingRetention.ts"
import { RemovalPreview } from "./retention/RemovalPreview.ts"
import { RetentionRepository } from "./retention/RetentionRepository.ts"
import { WorkspaceFloorsRepository } from "./retention/WorkspaceFloorsRepository.ts"
import { WorkspaceRemoval } from "./retention/WorkspaceRemoval.ts"
import { WorkspaceRetentions } from "./retention/WorkspaceRetentions.ts"
import * as workspaces from "../workspaces/layer.ts"

/** The archive that the settings name, and reads over it and PostgreSQL. */
export const archive = ArchivedReadings.layer.pipe(
  Layer.provideMerge(
    Layer.unwrap(
      Effect.map(ServerConfig, ({ clickHouseTables, clickHouseUrl }) =>
        Option.match(clickHouseUrl, {
          onNone: () => AbsentArchive,
          onSome: (url) => clickHouseArchive(url, clickHouseTables)
        })
      )
    )
  ),
  Layer.provideMerge(ArchiveBorder.layer)
)

const kept = KeptReadings.layer.pipe(Layer.provide(RetentionRepository.layer))

/** Needs `RollupsOfDevice`, which the slice `metrics` provides. */
const deletion = HistoryDeletion.layer.pipe(Layer.provide(HistoryDeletionRepository.layer))

/** Storage of readings, for sources other than the API. */
export const writing = Layer.mergeAll(DirectDevices.layer, TelemetryWriter.layer, kept).pipe(
  Layer.provide([DirectIntegrationRepository.layer, TelemetryRepository.layer, archive])
)

const ingest = Layer.mergeAll(TelemetryPush.layer, BulkTelemetryPush.layer, Provisioning.layer).pipe(
  Layer.provide([writing, DirectIntegrationRepository.layer, devices.layer, deletion])
)

/** The implementation of the port `DeviceHistory`. */
export const ports = DeviceHistoryLive.pipe(
  Layer.provide(ReadingCounts.layer),
  Layer.provide([HistoryRepository.layer, archive])
)

const mover = ReadingsMover.layer.pipe(
  Layer.provide(ArchiveDeletion.layer),
  Layer.provide(audit.layer),
  Layer.provide([ArchiveRepository.layer, RetentionRepository.layer, WorkspaceFloorsRepository.layer, archive])
)

/** Needs `SealingPlanner` and `RollupsOfDevice`, which the slice `metrics` provides. */
export const layer = Layer.mergeAll(
  ingest,
  kept,
  deletion,
  mover,
  ReadingRetention.layer,
  WorkspaceRemoval.layer.pipe(Layer.provide(WorkspaceFloorsRepository.layer))
).pipe(Layer.provide([RetentionRepository.layer, kept, archive]))

export const handlers = DirectIntegrationHandlers.pipe(Layer.provide(ingest))

/** The direct integration's routes under `/v1`. */
export const aliases = DirectIntegrationAliases.pipe(Layer.provide(ingest))

const pages = ReadingPages.layer.pipe(Layer.provide([HistoryRepository.layer, archive]))

const retentions = WorkspaceRetentions.layer.pipe(
  Layer.provide(RemovalPreview.layer),
  Layer.provide([WorkspaceFloorsRepository.layer, RetentionRepository.layer, kept, archive]),
  Layer.provide([audit.layer, workspaces.layer])
)

export const dashboardHandlers = Layer.mergeAll(
  KeptReadingsHandlers,
  ReadingPagesHandlers,
  ReadingRetentionHandlers
).pipe(Layer.provide([kept, pages, retentions]))
