import type { AnyManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { greenButtonAdapter } from "@edp/adapter-green-button/greenButtonAdapter"
import { homeAssistantAdapter } from "@edp/adapter-home-assistant/homeAssistantAdapter"
import { enphaseAdapter } from "@edp/adapter-enphase-envoy/enphaseAdapter"
import { mqttAdapter } from "@edp/adapter-mqtt/mqttAdapter"
import { ocppAdapter } from "@edp/adapter-ocpp/ocppAdapter"
import { shellyAdapter } from "@edp/adapter-shelly/shellyAdapter"
import { simulatorAdapter } from "@edp/adapter-simulator/simulatorAdapter"
import { sunSpecAdapter } from "@edp/adapter-sunspec/sunSpecAdapter"
import { templateAdapters } from "./templateAdapters.ts"
import { shippedTemplates } from "@edp/adapter-templates/templateFiles"
import { teslaAdapter } from "@edp/adapter-tesla/teslaAdapter"
import { victronAdapter } from "@edp/adapter-mqtt/victron/victronAdapter"

/** Every manufacturer whose accounts or devices can be linked. A new adapter adds its line. */
export const builtInAdapters: ReadonlyArray<AnyManufacturerAdapter> = [
  enphaseAdapter,
  greenButtonAdapter,
  homeAssistantAdapter,
  mqttAdapter,
  ocppAdapter,
  shellyAdapter,
  simulatorAdapter,
  sunSpecAdapter,
  teslaAdapter,
  victronAdapter,
  ...templateAdapters(shippedTemplates)
]
