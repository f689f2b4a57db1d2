import type { AnyManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { mqttAdapter } from "@edp/adapter-mqtt/mqttAdapter"
import { ocppAdapter } from "@edp/adapter-ocpp/ocppAdapter"
import { simulatorAdapter } from "@edp/adapter-simulator/simulatorAdapter"
import { sunSpecAdapter } from "@edp/adapter-sunspec/sunSpecAdapter"
import { templateAdapters } from "./templateAdapters.ts"
import { shippedTemplates } from "@edp/adapter-templates/templateFiles"
import { teslaAdapter } from "@edp/adapter-tesla/teslaAdapter"

/** Every manufacturer whose accounts or devices can be linked. A new adapter adds its line. */
export const builtInAdapters: ReadonlyArray<AnyManufacturerAdapter> = [
  mqttAdapter,
  ocppAdapter,
  simulatorAdapter,
  sunSpecAdapter,
  teslaAdapter,
  ...templateAdapters(shippedTemplates)
]
