import type { Device, DeviceInclude, DeviceLocation } from "@edp/domain/devices/Device"
import type { RecordedState } from "@edp/domain/devices/DeviceState"
import type { Intervention } from "@edp/domain/devices/Intervention"
import type { ForcedMode } from "@edp/domain/devices/ForcedMode"
import {
  type CommandSlug,
  type CommandType,
  type DeviceType,
  type OnlineStatus,
  commandSlugs,
  commandTypes
} from "@edp/domain/devices/DeviceType"
import type { Coordinates } from "@edp/domain/shared/Address"
import { commandLimits, commandType } from "@edp/domain/commands/commandInputs"
import { takesTargetPower } from "@edp/domain/commands/targetPower"

type Entries = Map<number, Map<CommandSlug, CommandType>>

/** The entries of lists of devices. */
const brief = new Map(
  commandSlugs.map((slug) => [slug, Object.freeze({ slug, description: commandTypes[slug] })] as const)
)

/** The commands that a device takes, without their details. */
const briefCommands = (commands: ReadonlyArray<CommandSlug>): ReadonlyArray<CommandType> =>
  commands.map((slug) => brief.get(slug)!)

/** The entries without limits by `confirmWithin`, of which there are as many values as adapters: devices share them. */
const shared: Readonly<Record<"plain" | "withPower", Entries>> = { plain: new Map(), withPower: new Map() }

const findShared = (slug: CommandSlug, confirmWithin: number, withPower: boolean): CommandType => {
  const all = shared[withPower ? "withPower" : "plain"]
  let entries = all.get(confirmWithin)
  if (entries === undefined) all.set(confirmWithin, (entries = new Map()))
  let entry = entries.get(slug)
  if (entry === undefined) entries.set(slug, (entry = Object.freeze(commandType(slug, confirmWithin, withPower))))
  return entry
}

/** The commands that a device takes, each with the limits that its static state sets. */
export const availableCommands = (
  commands: ReadonlyArray<CommandSlug>,
  confirmWithin: number,
  staticState: object | null
): ReadonlyArray<CommandType> =>
  commands.map((slug) => {
    const entry = findShared(slug, confirmWithin, takesTargetPower(slug, staticState))
    const limits = staticState === null ? undefined : commandLimits(slug, { staticState })
    return limits === undefined ? entry : { ...entry, limits }
  })

/** Mean radius of the earth in m: R1 of the Geodetic Reference System 1980 (Moritz, Journal of Geodesy 74, 2000). */
const EARTH_RADIUS = 6_371_008.8

/** In m. */
const HOME_RADIUS = 250

const radians = (degrees: number) => (degrees * Math.PI) / 180

/**
 * Great-circle distance in m, by the haversine formula (Sinnott, Sky & Telescope 68, 1984), which is exact for near places
 * where the law of cosines is not. On a sphere: up to 0.5 % off the ellipsoid, 1.3 m of 250 m.
 */
export const distance = (from: Coordinates, to: Coordinates): number => {
  const latitude = Math.sin(radians(to.latitude - from.latitude) / 2)
  const longitude = Math.sin(radians(to.longitude - from.longitude) / 2)
  const chord = latitude ** 2 + Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * longitude ** 2
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(chord)))
}

/** Whether a vehicle is within 250 m of its registered place; null when one of the two is unknown. */
export const isHome = (vehicle: Coordinates | null, home: Coordinates | null): boolean | null =>
  vehicle === null || home === null ? null : distance(vehicle, home) <= HOME_RADIUS

/** The facts that decide a device's online status. */
interface LastReport {
  /** Time of the newest reading; null when there is none. */
  readonly at: Date | null
  /** The status that the source reported with that reading, or since. */
  readonly reportedStatus: string | null
  /** A reading at or after this instant is recent enough for the device's manufacturer. */
  readonly onlineSince: Date
  readonly disconnectedAt: Date | null
}

/**
 * Depends on the time of the newest reading, except for a device that is disconnected, one that its source could not reach since then, and one of
 * which it says that it is asleep. `reachabilitySql` is the same rule.
 */
const toOnlineStatus = ({ at, disconnectedAt, reportedStatus, onlineSince }: LastReport): OnlineStatus => {
  if (at === null) return "unknown"
  if (disconnectedAt !== null || reportedStatus === "unreachable") return "offline"
  if (reportedStatus === "asleep") return "asleep"
  return at.getTime() >= onlineSince.getTime() ? "online" : "offline"
}

/** A device with its newest reading and its site. */
export interface DeviceRow extends LastReport {
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
  /** Seconds within which the device confirms a command. */
  readonly confirmWithin: number
  /** Null while none holds. */
  readonly forcedMode: ForcedMode | null
  /** Null for none. */
  readonly interventions: ReadonlyArray<Intervention> | null
  readonly tags: ReadonlyArray<string>
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly connectedAt: Date | null
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

/** A reading in a response: its time and the state variant of the device's type. */
export const recordedState = (id: string, createdAt: string, state: object): RecordedState => ({
  id,
  createdAt,
  ...state
})

const isoOrNull = (date: Date | null) => (date === null ? null : date.toISOString())

const coordinates = (latitude: number | null, longitude: number | null): Coordinates | null =>
  latitude === null || longitude === null ? null : { latitude, longitude }

const toLocation = (row: DeviceRow, place: Coordinates | null): Location => ({
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

/** The device in a response. Its state and static state were checked against the variant of its type when they arrived. */
const withCommands = (row: DeviceRow, commands: ReadonlyArray<CommandType>): Device => {
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
    ...(row.siteId === null ? {} : { location: toLocation(row, place) }),
    availableCommands: commands,
    ...(row.forcedMode === null ? {} : { forcedMode: row.forcedMode }),
    interventions: row.interventions ?? [],
    tags: row.tags,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    ...(row.type === "vehicle" ? { isHome: isHome(coordinates(row.latitude, row.longitude), place) } : {}),
    connectedAt: isoOrNull(row.connectedAt),
    disconnectedAt: isoOrNull(row.disconnectedAt),
    onlineStatus: toOnlineStatus(row),
    lastOnlineAt
  } as Device
}

/** A device with the details of its commands. */
export const toDevice = (row: DeviceRow): Device =>
  withCommands(row, availableCommands(row.commands, row.confirmWithin, row.staticState))

const toListedDevice = (row: DeviceRow): Device => withCommands(row, briefCommands(row.commands))

/** The form of devices in a list, which has the details of commands only if they are asked for: a device is twice as long with them. */
export const listedDevice = (include: DeviceInclude | undefined) =>
  include === "commandDetails" ? toDevice : toListedDevice
