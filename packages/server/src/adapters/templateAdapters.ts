import type { AnyManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { modbusAdapter } from "@edp/adapter-kit/modbus/ModbusAdapter"
import type { ModbusDriver } from "@edp/adapter-kit/modbus/ModbusDriver"
import { Effect } from "effect"
import { sunSpecDriver } from "@edp/adapter-sunspec/sunSpecAdapter"
import { type DeviceTemplate, manufacturerSlug } from "@edp/adapter-templates/DeviceTemplate"
import { httpTemplateAdapters } from "@edp/adapter-templates/HttpTemplateAdapter"
import { mqttTemplateAdapters } from "@edp/adapter-templates/mqttTemplateAdapter"
import { registerDriver } from "@edp/adapter-templates/registerDriver"
import { readTemplatesFolder, shippedTemplates, TemplateFileError } from "@edp/adapter-templates/templateFiles"
import { provenAgainst } from "@edp/adapter-templates/templateParts"

/** Templates of one manufacturer are one adapter if they have the same connection. */
const connection = ({ protocol }: DeviceTemplate) => (protocol === "sunspec" ? "modbus" : protocol)

const STAND_IN = "Shipped templates: Debian's pymodbus with registers in the documented shape, not the product"

/** The driver of a template over Modbus; none of one over another protocol. */
export const makeDrivers = (template: DeviceTemplate): ReadonlyArray<ModbusDriver> =>
  template.protocol === "modbus"
    ? [{ ...registerDriver(template), provenAgainst: provenAgainst(STAND_IN, template) }]
    : template.protocol === "sunspec"
      ? [sunSpecDriver(template.slug, template.name, template.units)]
      : []

/** An adapter for each manufacturer with templates over Modbus. One with several asks which. */
export const modbusTemplateAdapters = (
  templates: ReadonlyArray<DeviceTemplate>
): ReadonlyArray<AnyManufacturerAdapter> => {
  const manufacturers = Map.groupBy(
    templates.filter((template) => connection(template) === "modbus"),
    manufacturerSlug
  )
  return Array.from(manufacturers, ([slug, own]) =>
    modbusAdapter({
      slug,
      name: own[0]!.manufacturer,
      drivers: own.flatMap(makeDrivers),
      provenAgainst: STAND_IN
    })
  )
}

/** The adapters of templates, one for each manufacturer and connection. */
export const templateAdapters = (templates: ReadonlyArray<DeviceTemplate>): ReadonlyArray<AnyManufacturerAdapter> => [
  ...modbusTemplateAdapters(templates),
  ...mqttTemplateAdapters(templates),
  ...httpTemplateAdapters(templates)
]

/**
 * The adapters with those of an operator's templates. A template of a manufacturer that has templates already is one more
 * choice there; one of a manufacturer with another kind of adapter is refused.
 */
export const addTemplates = Effect.fnUntraced(function* (
  adapters: ReadonlyArray<AnyManufacturerAdapter>,
  folder: string
) {
  const own = yield* readTemplatesFolder(folder)
  const slugs = new Set(own.map(manufacturerSlug))
  const all = [...shippedTemplates, ...own].filter((template) => slugs.has(manufacturerSlug(template)))
  for (const [slug, templates] of Map.groupBy(all, manufacturerSlug)) {
    const { manufacturer } = templates[0]!
    const hasOtherAdapter =
      adapters.some(({ manifest }) => manifest.slug === slug) &&
      !templates.some((one) => shippedTemplates.includes(one))
    if (hasOtherAdapter || new Set(templates.map(connection)).size > 1) {
      return yield* new TemplateFileError({
        message: `${manufacturer} has an adapter of another kind: templates need a manufacturer of their own, such as "${manufacturer} local"`
      })
    }
  }
  return [...adapters.filter(({ manifest }) => !slugs.has(manifest.slug)), ...templateAdapters(all)]
})
