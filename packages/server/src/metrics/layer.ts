import { Layer } from "effect"
import { UnreadResponses } from "../platform/observability/UnreadResponses.ts"
import { DeviceEnergy } from "./DeviceEnergy.ts"
import { EnergyReadings } from "./EnergyReadings.ts"
import { EnergySealingLive, RollupDeletionLive } from "./EnergySealing.ts"
import { EnergyRollups } from "./EnergyRollups.ts"
import { FleetRecent } from "./FleetRecent.ts"
import { FleetRepository } from "./FleetRepository.ts"
import { FleetSums } from "./FleetSums.ts"
import { Metrics } from "./Metrics.ts"
import { MetricsHandlers } from "./MetricsHandlers.ts"
import { SiteEnergy } from "./SiteEnergy.ts"
import { RollupRunner } from "./RollupRunner.ts"
import * as readings from "../readings/layer.ts"

const energyReadings = EnergyReadings.layer.pipe(Layer.provide(readings.archive))

const computation = RollupRunner.layer.pipe(
  Layer.provideMerge(Layer.merge(DeviceEnergy.layer, EnergyRollups.layer)),
  Layer.provide(energyReadings)
)

const siteEnergy = SiteEnergy.layer.pipe(Layer.provide(computation))

const fleetRecent = FleetRecent.layer.pipe(Layer.provide([siteEnergy, computation, FleetRepository.layer]))

export const layer = Layer.mergeAll(
  computation,
  siteEnergy,
  fleetRecent,
  FleetSums.layer.pipe(Layer.provide([siteEnergy, fleetRecent, FleetRepository.layer]))
)

/** The ports through which retention seals rollups, and deletes those of removed devices. */
export const ports = Layer.merge(EnergySealingLive.pipe(Layer.provide(energyReadings)), RollupDeletionLive)

export const services = Metrics.layer.pipe(Layer.provide(siteEnergy), Layer.provide([layer, UnreadResponses.layer]))

export const handlers = MetricsHandlers.pipe(Layer.provide(services))
