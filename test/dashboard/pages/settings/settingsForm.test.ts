import { formFromWorkspace, settingsChanges } from "@edp/dashboard/pages/settings/settingsForm"
import { expect, test } from "vitest"

const workspace = {
  name: "Pilot",
  timezone: "America/Los_Angeles",
  logoUrl: "https://acme.example/logo.svg",
  accentColor: null,
  contactEmail: "help@acme.example",
  contactPhone: null,
  contactUrl: null,
  temperatureUnit: "F",
  distanceUnit: "mi",
  connectRedirects: ["https://app.example.com"],
  deletionProtection: false
} as const
const choices = { deletionProtection: false, temperatureUnit: "F", distanceUnit: "mi" } as const
const form = formFromWorkspace(workspace)

test("a form that nobody has changed changes nothing", () => {
  expect(settingsChanges(workspace, form, choices)).toEqual({})
})

test("only changed fields are sent, and an empty one clears its value", () => {
  const changed = {
    ...form,
    name: " Pilot 2 ",
    logoUrl: " ",
    contactEmail: "",
    contactPhone: "+1 916 555 0142",
    connectRedirects: "https://app.example.com\n\n sunnyhomes: "
  }
  expect(settingsChanges(workspace, changed, { ...choices, deletionProtection: true, temperatureUnit: "C" })).toEqual({
    name: "Pilot 2",
    logoUrl: null,
    contactEmail: null,
    contactPhone: "+1 916 555 0142",
    temperatureUnit: "C",
    connectRedirects: ["https://app.example.com", "sunnyhomes:"],
    deletionProtection: true
  })
})
