import { formFromWorkspace, settingsChanges } from "@edp/dashboard/pages/settings/settingsForm"
import { expect, test } from "vitest"

const workspace = {
  name: "Pilot",
  timezone: "America/Los_Angeles",
  logoUrl: "https://acme.example/logo.svg",
  accentColor: null,
  connectRedirects: ["https://app.example.com"],
  deletionProtection: false
}
const form = formFromWorkspace(workspace)

test("a form that nobody has changed changes nothing", () => {
  expect(settingsChanges(workspace, form, false)).toEqual({})
})

test("only changed fields are sent, and an empty one clears its value", () => {
  const changed = {
    ...form,
    name: " Pilot 2 ",
    logoUrl: " ",
    connectRedirects: "https://app.example.com\n\n sunnyhomes: "
  }
  expect(settingsChanges(workspace, changed, true)).toEqual({
    name: "Pilot 2",
    logoUrl: null,
    connectRedirects: ["https://app.example.com", "sunnyhomes:"],
    deletionProtection: true
  })
})
