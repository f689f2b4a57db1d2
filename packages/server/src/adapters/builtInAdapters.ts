import type { AnyManufacturerAdapter } from "./ManufacturerAdapter.ts"
import { mqttAdapter } from "./mqtt/mqttAdapter.ts"
import { ocppAdapter } from "./ocpp/ocppAdapter.ts"
import { simulatorAdapter } from "./simulator/simulatorAdapter.ts"
import { modbusTemplateAdapters, sunSpecAdapter } from "./sunspec/modbusAdapters.ts"
import { mqttTemplateAdapters } from "./templates/mqttTemplateAdapter.ts"
import { shippedTemplates } from "./templates/templateFiles.ts"
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
