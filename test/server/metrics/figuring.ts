import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { MetricName } from "@edp/domain/metrics/Metric"
import { formulasFor } from "@edp/server/energy/formulas"
import { type MeasuringDevice, siteSeries } from "@edp/server/energy/siteSeries"
import { type EnergyQuantity, energyQuantities, type Quantity } from "@edp/server/energy/quantities"

export const QUARTER = 900_000

/** µWh and covered milliseconds of an interval; null is a stored energy without a reading. */
export type AmountAndCover = readonly [amount: number | null, covered: number]

/** A device with these quantities in each interval, which reports all the time unless a span is given. */
export const reportingDevice = (
  type: DeviceType,
  reported: Readonly<Partial<Record<Quantity, ReadonlyArray<AmountAndCover>>>>,
  reporting: MeasuringDevice["reporting"] | null = { from: 0, to: Number.POSITIVE_INFINITY }
): MeasuringDevice => {
  const covered = (intervals: ReadonlyArray<AmountAndCover>) => intervals.map(([, milliseconds]) => milliseconds)
  const isReported = (quantity: EnergyQuantity) => reported[quantity] !== undefined
  return {
    type,
    reporting: reporting ?? undefined,
    energy: new Map(
      energyQuantities.filter(isReported).map((quantity) => {
        const intervals = reported[quantity]!
        return [quantity, { amounts: intervals.map(([amount]) => BigInt(amount!)), covered: covered(intervals) }]
      })
    ),
    charge: reported.charge && {
      latest: reported.charge.map(([amount]) => (amount === null ? null : BigInt(amount))),
      covered: covered(reported.charge)
    }
  }
}

/** The figures of a metric over intervals of one length. */
export const makeFigures = (
  metric: MetricName,
  devices: ReadonlyArray<MeasuringDevice>,
  intervals = 1,
  length = QUARTER
) =>
  siteSeries(
    formulasFor(
      metric,
      devices.map(({ type }) => type)
    ),
    devices,
    Array.from({ length: intervals + 1 }, (_, interval) => interval * length)
  )
