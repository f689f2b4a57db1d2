import type { DeviceType } from "@edp/domain/devices/DeviceType"

interface Placed {
  readonly id: string
  readonly type: DeviceType
  readonly siteId: string | null
}

/** A site with the devices of it that were asked for, or a device without a site. */
export interface Place<D extends Placed = Placed> {
  readonly siteId: string | null
  readonly devices: ReadonlyArray<D>
}

const byId = (one: string, other: string) => (one < other ? -1 : 1)

/** The sites in the order of their creation, then the devices without a site. */
export const placesOf = <D extends Placed>(devices: ReadonlyArray<D>): ReadonlyArray<Place<D>> => {
  const sorted = devices.toSorted((one, other) => byId(one.id, other.id))
  const sites = Map.groupBy(sorted, ({ siteId }) => siteId)
  const alone = sites.get(null) ?? []
  return [
    ...Array.from(sites, ([siteId, devices]) => ({ siteId, devices }))
      .filter(({ siteId }) => siteId !== null)
      .toSorted((one, other) => byId(one.siteId!, other.siteId!)),
    ...alone.map((device) => ({ siteId: null, devices: [device] }))
  ]
}

/** Each device by itself, in the order of their creation. */
export const devicesApart = <D extends Placed>(devices: ReadonlyArray<D>): ReadonlyArray<Place<D>> =>
  devices
    .toSorted((one, other) => byId(one.id, other.id))
    .map((device) => ({ siteId: device.siteId, devices: [device] }))

/** Groups of places with about so many devices; a place is never divided. */
export const chunked = <P extends Place>(
  places: ReadonlyArray<P>,
  devices: number
): ReadonlyArray<ReadonlyArray<P>> => {
  const chunks: Array<Array<P>> = []
  let room = 0
  for (const place of places) {
    if (chunks.length === 0 || room < place.devices.length) {
      chunks.push([])
      room = devices
    }
    chunks.at(-1)!.push(place)
    room -= place.devices.length
  }
  return chunks
}
