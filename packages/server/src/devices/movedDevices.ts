import type { Coordinates } from "@edp/domain/shared/Address"
import type { SiteChange } from "../sites/siteChange.ts"
import type { DeviceChange } from "./deviceChange.ts"
import { isHome } from "./isHome.ts"
import { type DeviceRow, toDevice } from "./toDevice.ts"

export type { SiteChange }

const placeOf = ({ latitude, longitude }: DeviceRow): Coordinates | null =>
  latitude === null || longitude === null ? null : { latitude, longitude }

/** Devices of a site that has changed: what it is to each. That a vehicle is at home goes by where the site is. */
export const movedDevices = (
  rows: ReadonlyArray<DeviceRow>,
  { changed, location }: SiteChange
): ReadonlyArray<DeviceChange> =>
  rows.flatMap((row) => {
    const device = toDevice(row)
    const isSameHome = device.type !== "vehicle" || isHome(placeOf(row), location) === device.isHome
    const names = isSameHome ? changed : [...changed, "isHome"]
    return names.length === 0 ? [] : [{ type: "DEVICE_UPDATED", device, changed: names }]
  })
