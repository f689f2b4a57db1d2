import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { MetricName } from "@edp/domain/metrics/Metric"
import { waysFor } from "@edp/server/energy/metricRules"
import { type MeasuringDevice, placeFigures } from "@edp/server/energy/placeFigures"
import { type EnergyQuantity, energyQuantities, type Quantity } from "@edp/server/energy/quantities"

export const QUARTER = 900_000

/** µWh and covered milliseconds of a cell; null is a stored energy without a reading. */
export type Cell = readonly [amount: number | null, covered: number]

/** A device that tells these quantities in each cell, and reports all the time unless it is told when. */
export const telling = (
  type: DeviceType,
  told: Readonly<Partial<Record<Quantity, ReadonlyArray<Cell>>>>,
  reporting: MeasuringDevice["reporting"] | null = { from: 0, to: Number.POSITIVE_INFINITY }
): MeasuringDevice => {
  const covered = (cells: ReadonlyArray<Cell>) => cells.map(([, milliseconds]) => milliseconds)
  const isTold = (quantity: EnergyQuantity) => told[quantity] !== undefined
  return {
    type,
    reporting: reporting ?? undefined,
    energy: new Map(
      energyQuantities.filter(isTold).map((quantity) => {
        const cells = told[quantity]!
        return [quantity, { amounts: cells.map(([amount]) => BigInt(amount!)), covered: covered(cells) }]
      })
    ),
    charge: told.charge && {
      latest: told.charge.map(([amount]) => (amount === null ? null : BigInt(amount))),
      covered: covered(told.charge)
    }
  }
}

/** The figures of a metric over cells of one length. */
export const figuresOf = (metric: MetricName, devices: ReadonlyArray<MeasuringDevice>, cells = 1, length = QUARTER) =>
  placeFigures(
    waysFor(
      metric,
      devices.map(({ type }) => type)
    ),
    devices,
    Array.from({ length: cells + 1 }, (_, cell) => cell * length)
  )
