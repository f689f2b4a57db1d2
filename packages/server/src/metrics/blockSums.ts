import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { MetricName } from "@edp/domain/metrics/Metric"
import { siteTypes } from "../energy/formulas.ts"
import { rollupLimits } from "./rollupLimits.ts"

/** The sum of a bucket over sites: the amount in µWh, the covered milliseconds, and the number of terms in each. */
export class Sum {
  amount = 0n
  amounts = 0
  covered = 0
  covers = 0
  add(amount: bigint | null, covered: number, sign: 1 | -1 = 1) {
    if (amount !== null) {
      this.amount += sign === 1 ? amount : -amount
      this.amounts += sign
    }
    if (covered > 0) {
      this.covered += sign * covered
      this.covers += sign
    }
  }
}

/** A metric of a whole workspace, of all devices or of those of a type. */
export interface FleetMetric {
  readonly metric: MetricName
  readonly deviceType?: DeviceType | undefined
}

/** The name under which sums of it are kept. */
export const fleetMetricKey = ({ deviceType, metric }: FleetMetric) =>
  deviceType === undefined ? metric : `${metric} ${deviceType}`

export const fleetMetricTypes = ({ deviceType, metric }: FleetMetric): ReadonlyArray<DeviceType> =>
  siteTypes(metric).filter((type) => deviceType === undefined || type === deviceType)

/** Groups of blocks with at most this number of devices, unless a single block has more. */
export const batches = <B extends { readonly devices: number }>(
  blocks: ReadonlyArray<B>
): ReadonlyArray<ReadonlyArray<B>> => {
  const groups: Array<Array<B>> = []
  let devices = Number.POSITIVE_INFINITY
  for (const block of blocks) {
    if (devices + block.devices > rollupLimits.fleetDevices) {
      groups.push([])
      devices = 0
    }
    groups.at(-1)!.push(block)
    devices += block.devices
  }
  return groups
}
