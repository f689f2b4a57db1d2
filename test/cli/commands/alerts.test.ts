import { expect, test } from "vitest"
import { arrangeCustomers } from "../../server/customers/arrangeCustomers.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { makeCli } from "../realService.ts"

const app = useTestApp()

test("edp alerts list names the site of each alert, which distinguishes devices of the same name", async () => {
  const place = await arrangeCustomers(app)
  const edp = makeCli(app, place)
  for (const home of ["north", "south"]) {
    await place.site({ referenceId: home, name: `Home ${home}` })
    const device = ["--manufacturer-device-id", `meter-${home}`, "--type", "meter", "--site", home, "--name", "Meter"]
    const { stdout } = await edp("devices", "create", ...device, "--json")
    const alert = [
      "--title",
      "No response",
      "--severity",
      "WARNING",
      "--type",
      "COMMUNICATIONS",
      "--source-system",
      "night"
    ]
    const made = await edp("alerts", "create", ...alert, "--device", JSON.parse(stdout).id)
    expect(made.code, made.stderr).toBe(0)
  }
  const { stdout } = await edp("alerts", "list")
  const rows = stdout.split("\n").map((line) => line.split(/ {2,}/u).slice(1))
  expect(rows).toEqual([
    ["SEVERITY", "STATUS", "TITLE", "DEVICE", "SITE"],
    ["WARNING", "OPEN", "No response", "Meter", "Home south"],
    ["WARNING", "OPEN", "No response", "Meter", "Home north"]
  ])
})
