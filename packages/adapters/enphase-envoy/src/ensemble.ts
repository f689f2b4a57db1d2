import { asNumber, isObject } from "@edp/adapter-kit/decoding/jsonPath"

/** The batteries that are installed, as `/ivp/ensemble/inventory` lists them. */
export interface BatteryInventory {
  readonly serials: ReadonlyArray<string>
  /** Wh of all; null if one does not tell. */
  readonly capacity: number | null
  /** Part number of the first. */
  readonly partNumber: string | null
}

const sumOrNull = (values: ReadonlyArray<number | undefined>): number | null =>
  values.reduce<number | null>((sum, value) => (sum === null || value === undefined ? null : sum + value), 0)

/** The batteries of the kind Encharge; undefined if the response is no list. None: `serials` is empty. */
export const readInventory = (body: unknown): BatteryInventory | undefined => {
  if (!Array.isArray(body)) return undefined
  const devices = body
    .filter(isObject)
    .filter(({ type }) => type === "ENCHARGE")
    .flatMap((group): ReadonlyArray<unknown> => (Array.isArray(group["devices"]) ? group["devices"] : []))
    .filter(isObject)
    .filter((device) => typeof device["serial_num"] === "string")
  const part = devices[0]?.["part_num"]
  return {
    serials: devices.map((device) => device["serial_num"] as string),
    capacity: devices.length === 0 ? null : sumOrNull(devices.map((device) => asNumber(device["encharge_capacity"]))),
    partNumber: typeof part === "string" && part !== "" ? part.slice(0, 100) : null
  }
}

/** Rated power of all batteries in W, in `/ivp/ensemble/status`; null if that of one is missing. */
export const readRatedPower = (body: unknown, serials: ReadonlyArray<string>): number | null => {
  const inventory: unknown = isObject(body) ? body["inventory"] : undefined
  const listed: unknown = isObject(inventory) ? inventory["serial_nums"] : undefined
  if (!isObject(listed) || serials.length === 0) return null
  return sumOrNull(
    serials.map((serial) => {
      const device: unknown = Object.hasOwn(listed, serial) ? listed[serial] : undefined
      return isObject(device) ? asNumber(device["encharge_rated_power"]) : undefined
    })
  )
}

/** Power of all batteries in W, in `/ivp/ensemble/power`: discharging is positive. Undefined if one is missing. */
export const readBatteryPower = (body: unknown, serials: ReadonlyArray<string>): number | undefined => {
  // The name of the field ends with a colon.
  const list: unknown = isObject(body) ? (body["devices:"] ?? body["devices"]) : undefined
  if (!Array.isArray(list) || serials.length === 0) return undefined
  const milliwatts = new Map(list.filter(isObject).map((one) => [one["serial_num"], asNumber(one["real_power_mw"])]))
  const sum = sumOrNull(serials.map((serial) => milliwatts.get(serial)))
  return sum === null ? undefined : Math.round(sum / 1000) + 0
}

/** The batteries as a whole, as `/ivp/ensemble/secctrl` shows them. */
export interface BatteryTotals {
  /** Percent. */
  readonly chargePercentage: number | undefined
  /** Wh. */
  readonly charge: number | undefined
  readonly capacity: number | undefined
  /** Percent. */
  readonly reserve: number | undefined
}

export const readTotals = (body: unknown): BatteryTotals | undefined => {
  if (!isObject(body)) return undefined
  const capacity = asNumber(body["Enc_max_available_capacity"])
  // Without a capacity the other values are zeros that say nothing.
  if (capacity === undefined || capacity <= 0) return undefined
  return {
    chargePercentage: asNumber(body["ENC_agg_soc"]),
    charge: asNumber(body["ENC_agg_avail_energy"]),
    capacity,
    reserve: asNumber(body["configured_backup_soc"])
  }
}
