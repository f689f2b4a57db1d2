import { loadArea, loadLanguage, messagesIn } from "@edp/dashboard/i18n/messages"
import { actionMessages } from "@edp/dashboard/pages/dispatch/actionMessages"
import { expect, test } from "vitest"

test("the actions of a dispatch are in the chosen language", async () => {
  await Promise.all([loadLanguage("en"), loadLanguage("es"), loadArea("pages")])
  const actions = { battery: { operatingMode: "discharge", enableGridInteraction: true } } as const
  expect(actionMessages(actions, messagesIn("en").dispatch, { battery: "Battery" })).toEqual([
    "Battery: discharge, exchange with the grid: yes"
  ])
  expect(actionMessages(actions, messagesIn("es").dispatch, { battery: "Batería" })).toEqual([
    "Batería: descargar, intercambio con la red: sí"
  ])
})
