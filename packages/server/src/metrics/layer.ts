import { Layer } from "effect"
import { UnreadAnswers } from "../platform/observability/UnreadAnswers.ts"
import { DeviceEnergy } from "./DeviceEnergy.ts"
import { EnergyChanges } from "./EnergyChanges.ts"
import { FrozenEnergyLive } from "./EnergyFreezing.ts"
import { EnergyReadingsRepository } from "./EnergyReadingsRepository.ts"
import { EnergyRollups } from "./EnergyRollups.ts"
import { EnergySpans } from "./EnergySpans.ts"
import { MetricDevices } from "./MetricDevices.ts"
import { Metrics } from "./Metrics.ts"
import { MetricsHandlers } from "./MetricsHandlers.ts"
import { MetricsRepository } from "./MetricsRepository.ts"
import { PlaceEnergy } from "./PlaceEnergy.ts"
import { RolledDays } from "./RolledDays.ts"
import { RollupDaysRepository } from "./RollupDaysRepository.ts"
import { RollupsRepository } from "./RollupsRepository.ts"

const repositories = Layer.mergeAll(
  EnergyReadingsRepository.layer,
  RollupsRepository.layer,
  RollupDaysRepository.layer,
  MetricsRepository.layer
)

export const layer = Layer.merge(DeviceEnergy.layer, EnergyRollups.layer).pipe(
  Layer.provide([EnergySpans.layer, EnergyChanges.layer, RolledDays.layer]),
  Layer.provide(repositories)
)

/** What the retention of readings asks of metrics. */
export const ports = FrozenEnergyLive.pipe(Layer.provide(repositories))

const metrics = Metrics.layer.pipe(
  Layer.provide([MetricDevices.layer, PlaceEnergy.layer]),
  Layer.provide([layer, repositories, UnreadAnswers.layer])
)

export const handlers = MetricsHandlers.pipe(Layer.provide(metrics))
