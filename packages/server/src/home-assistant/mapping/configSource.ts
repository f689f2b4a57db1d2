import type { Device } from "@edp/domain/devices/Device"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { Topics } from "./topics.ts"

/** The configuration of one entity, in Home Assistant's words. */
export type Component = Readonly<Record<string, unknown>> & { readonly platform: string }

/** Entities by their keys. */
export type Components = Readonly<Record<string, Component>>

/** A device with the facts that its entities depend on. */
export interface ConfigSource {
  readonly device: Device
  readonly manufacturerName: string
  readonly topics: Topics
  readonly takesCommands: boolean
  /** The keys of the entities that Home Assistant has already: a field that is missing at times stays an entity. */
  readonly known: ReadonlySet<string>
  readonly version: string
}

/** The command of a device, if Home Assistant may send it. */
export const takenCommand = ({ device, takesCommands }: ConfigSource, slug: CommandSlug) =>
  takesCommands ? device.availableCommands.find((one) => one.slug === slug) : undefined

/** The template of a field whose name may not be an identifier. */
export const template = (key: string) =>
  /^[A-Za-z_]\w*$/.test(key) ? `{{ value_json.${key} }}` : `{{ value_json['${key}'] }}`
