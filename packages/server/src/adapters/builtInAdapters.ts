import { Effect } from "effect"
import type { AnyManufacturerAdapter } from "./ManufacturerAdapter.ts"
import { mqttAdapter } from "./mqtt/mqttAdapter.ts"
import { ocppAdapter } from "./ocpp/ocppAdapter.ts"
import { simulatorAdapter } from "./simulator/simulatorAdapter.ts"
import { modbusTemplateAdapters, sunSpecAdapter } from "./sunspec/modbusAdapters.ts"
import { type DeviceTemplate, manufacturerSlug } from "./templates/DeviceTemplate.ts"
import { mqttTemplateAdapters } from "./templates/mqttTemplateAdapter.ts"
import { readTemplatesFolder, shippedTemplates, TemplateFileError } from "./templates/templateFiles.ts"
import { teslaAdapter } from "./tesla/teslaAdapter.ts"

/** Every manufacturer whose accounts or devices can be linked. A new adapter adds its line. */
export const builtInAdapters: ReadonlyArray<AnyManufacturerAdapter> = [
  mqttAdapter,
  ocppAdapter,
  simulatorAdapter,
  sunSpecAdapter,
  teslaAdapter,
  ...modbusTemplateAdapters(shippedTemplates),
  ...mqttTemplateAdapters(shippedTemplates)
]

/** Templates of one manufacturer are one adapter if they have the same connection. */
const connection = ({ protocol }: DeviceTemplate) => (protocol === "mqtt" ? "mqtt" : "modbus")

const makeAdapters = (templates: ReadonlyArray<DeviceTemplate>): ReadonlyArray<AnyManufacturerAdapter> => [
  ...modbusTemplateAdapters(templates),
  ...mqttTemplateAdapters(templates)
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
  return [...adapters.filter(({ manifest }) => !slugs.has(manifest.slug)), ...makeAdapters(all)]
})
