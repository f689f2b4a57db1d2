import { Layer } from "effect"
import { UnreadResponses } from "../platform/observability/UnreadResponses.ts"
import { DeviceEnergy } from "./DeviceEnergy.ts"
import { EnergyChanges } from "./EnergyChanges.ts"
import { EnergySealingLive } from "./EnergySealing.ts"
import { EnergyReadings } from "./EnergyReadings.ts"
import { EnergyRollups } from "./EnergyRollups.ts"
import { EnergySpans } from "./EnergySpans.ts"
import { FleetRecent } from "./FleetRecent.ts"
import { FleetRecentRepository } from "./FleetRecentRepository.ts"
import { FleetRepository } from "./FleetRepository.ts"
import { FleetSums } from "./FleetSums.ts"
import { MetricDevices } from "./MetricDevices.ts"
import { Metrics } from "./Metrics.ts"
import { MetricsHandlers } from "./MetricsHandlers.ts"
import { MetricsRepository } from "./MetricsRepository.ts"
import { SiteEnergy } from "./SiteEnergy.ts"
import { RollupDeletionLive } from "./RollupDeletion.ts"
import { RollupRunner } from "./RollupRunner.ts"
import { RolledDays } from "./RolledDays.ts"
import * as readings from "../readings/layer.ts"
import { RolledSums } from "./RolledSums.ts"
import { RollupDaysRepository } from "./RollupDaysRepository.ts"
import { RollupsRepository } from "./RollupsRepository.ts"

const repositories = Layer.mergeAll(
  EnergyReadings.layer.pipe(Layer.provide(readings.archive)),
  RollupsRepository.layer,
  RollupDaysRepository.layer,
  MetricsRepository.layer
)

const computation = RollupRunner.layer.pipe(
  Layer.provideMerge(Layer.merge(DeviceEnergy.layer, EnergyRollups.layer)),
  Layer.provide([EnergySpans.layer, EnergyChanges.layer, RolledDays.layer]),
  Layer.provide(repositories)
)

const rolledSums = RolledSums.layer.pipe(Layer.provide(repositories))

const siteEnergy = SiteEnergy.layer.pipe(Layer.provide(computation))

const fleetRecent = FleetRecent.layer.pipe(
  Layer.provide([siteEnergy, computation, FleetRepository.layer, FleetRecentRepository.layer])
)

export const layer = Layer.mergeAll(
  computation,
  rolledSums,
  siteEnergy,
  fleetRecent,
  FleetSums.layer.pipe(Layer.provide([siteEnergy, fleetRecent, FleetRepository.layer]))
)

/** The ports through which retention seals rollups, and deletes those of removed devices. */
export const ports = Layer.merge(EnergySealingLive, RollupDeletionLive).pipe(Layer.provide(repositories))

const metrics = Metrics.layer.pipe(
  Layer.provide([MetricDevices.layer, siteEnergy]),
  Layer.provide([layer, repositories, UnreadResponses.layer])
)

export const handlers = MetricsHandlers.pipe(Layer.provide(metrics))
