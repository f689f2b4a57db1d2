import { actionMessages } from "@edp/dashboard/pages/dispatch/actionMessages"
import { expect, test } from "vitest"

test("the actions of a dispatch are in the chosen language", () => {
  const actions = { battery: { operatingMode: "discharge", enableGridInteraction: true } } as const
  expect(actionMessages(actions, messages.en, { battery: "Battery" })).toEqual([
    "Battery: discharge, exchange with the grid: yes"
  ])
  expect(actionMessages(actions, messages.es, { battery: "Batería" })).toEqual([
    "Batería: descargar, intercambio con la red: sí"
  ])
})
