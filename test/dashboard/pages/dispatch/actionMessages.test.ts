import type { Unit } from "@edp/dashboard/i18n/format"
import { loadArea, loadLanguage, partMessages } from "@edp/dashboard/i18n/messages"
import { formatShown } from "@edp/dashboard/i18n/units"
import { actionMessages } from "@edp/dashboard/pages/dispatch/actionMessages"
import { expect, test } from "vitest"

test("the actions of a dispatch are in the chosen language, with temperatures in the unit of the workspace", async () => {
  await Promise.all([loadLanguage("en"), loadLanguage("es"), loadArea("pages")])
  const actions = {
    battery: { operatingMode: "discharge", enableGridInteraction: true, minimumBatteryReserve: 20 },
    thermostat: { operatingMode: "heat", heatTarget: 68 }
  } as const
  const types = { battery: "Battery", thermostat: "Thermostat" }
  const showIn = (language: "en" | "es", temperatureUnit: "F" | "C") => (value: number, unit: Unit) =>
    formatShown(language, value, unit, { temperatureUnit, distanceUnit: "km" })
  expect(actionMessages(actions, partMessages("en", "dispatch"), types, showIn("en", "F"))).toEqual([
    "Battery: discharge, exchange with the grid: yes, lowest charge: 20%",
    "Thermostat: heat, heating target: 68\u00a0°F"
  ])
  expect(actionMessages(actions, partMessages("es", "dispatch"), { battery: "Batería" }, showIn("es", "C"))).toEqual([
    "Batería: descargar, intercambio con la red: sí, carga mínima: 20\u00a0%",
    "thermostat: calor, temperatura de calefacción: 20\u00a0°C"
  ])
})
