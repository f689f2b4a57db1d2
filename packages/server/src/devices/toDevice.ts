import { type CommandSlug, type DeviceType, commandType } from "@edp/domain/devices/DeviceType"
import type { Device, DeviceLocation } from "@edp/domain/devices/Device"
import type { RecordedState } from "@edp/domain/devices/DeviceState"
import type { Coordinates } from "@edp/domain/shared/Address"
import { isHome } from "./isHome.ts"
import { type Heard, onlineStatusOf } from "./onlineStatus.ts"

/** A device with its newest reading and its site. */
export interface DeviceRow extends Heard {
  readonly id: string
  /** Null once the device was removed from its workspace. */
  readonly workspaceId: string | null
  readonly siteId: string | null
  readonly name: string
  readonly manufacturerDeviceId: string
  readonly serialNumber: string | null
  readonly referenceId: string
  readonly manufacturer: string
  readonly type: DeviceType
  readonly model: string
  readonly rawType: string | null
  readonly rawModel: string | null
  readonly modelYear: number | null
  readonly staticState: object | null
  readonly commands: ReadonlyArray<CommandSlug>
  readonly tags: ReadonlyArray<string>
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly connectedAt: Date | null
  readonly disconnectedAt: Date | null
  readonly readingId: string | null
  readonly state: object | null
  readonly latitude: number | null
  readonly longitude: number | null
  readonly streetOne: string | null
  readonly streetTwo: string | null
  readonly city: string | null
  readonly siteState: string | null
  readonly postalCode: string | null
  readonly country: string | null
  readonly county: string | null
  readonly addressHash: string | null
  readonly siteLatitude: number | null
  readonly siteLongitude: number | null
}

type Location = typeof DeviceLocation.Type

/** A reading as it is answered: when it was taken, and the variant of the device's type. */
export const recordedState = (id: string, createdAt: string, state: object): RecordedState => ({
  id,
  createdAt,
  ...state
})

const isoOrNull = (date: Date | null) => (date === null ? null : date.toISOString())

const coordinates = (latitude: number | null, longitude: number | null): Coordinates | null =>
  latitude === null || longitude === null ? null : { latitude, longitude }

const locationOf = (row: DeviceRow, place: Coordinates | null): Location => ({
  address: {
    streetOne: row.streetOne,
    streetTwo: row.streetTwo,
    city: row.city,
    state: row.siteState,
    postalCode: row.postalCode,
    country: row.country,
    county: row.county,
    hashedAddress: row.addressHash
  },
  ...(place === null ? {} : { coordinates: place })
})

/** The answered device. Its state and static state were checked against the variant of its type when they came in. */
export const toDevice = (row: DeviceRow): Device => {
  const place = coordinates(row.siteLatitude, row.siteLongitude)
  const lastOnlineAt = isoOrNull(row.at)
  return {
    id: row.id,
    siteId: row.siteId,
    name: row.name,
    manufacturerDeviceId: row.manufacturerDeviceId,
    serialNumber: row.serialNumber,
    referenceId: row.referenceId,
    manufacturer: row.manufacturer,
    type: row.type,
    model: row.model,
    rawType: row.rawType,
    rawModel: row.rawModel,
    modelYear: row.modelYear,
    state: row.state === null ? {} : recordedState(row.readingId!, lastOnlineAt!, row.state),
    ...(row.staticState === null ? {} : { staticState: row.staticState }),
    ...(row.siteId === null ? {} : { location: locationOf(row, place) }),
    availableCommands: row.commands.map(commandType),
    tags: row.tags,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    ...(row.type === "vehicle" ? { isHome: isHome(coordinates(row.latitude, row.longitude), place) } : {}),
    connectedAt: isoOrNull(row.connectedAt),
    disconnectedAt: isoOrNull(row.disconnectedAt),
    onlineStatus: onlineStatusOf(row),
    lastOnlineAt
  } as Device
}
