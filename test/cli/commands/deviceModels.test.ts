import { describe, expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { makeCli } from "../realService.ts"

const app = useTestApp()

const arrange = async () => {
  const place = await app.workspace()
  const edp = makeCli(app, place, {
    EDP_DATA_DIR: "/nonexistent",
    EDP_URL: app.url,
    EDP_KEY_MANAGEMENT: place.keys.MANAGEMENT
  })
  return { ...place, edp }
}

describe("edp manufacturers", () => {
  test("create, update and show print the same manufacturer, and list shows it by slug", async () => {
    const { edp } = await arrange()
    const named = ["--slug", "cli-acme", "--name", "Acme Energy", "--type", "battery", "--type", "inverter"]
    const made = (await edp("manufacturers", "create", ...named, "--no-direct", "--json")).json()
    expect(made).toMatchObject({
      slug: "cli-acme",
      deviceTypes: ["battery", "inverter"],
      directIntegration: false,
      onlineWindow: 900
    })
    const changes = ["--direct", "--online-window", "60", "--logo", "https://acme.example/logo.svg"]
    const changed = (await edp("manufacturers", "update", "cli-acme", ...changes, "--json")).json()
    expect(changed).toEqual({
      ...made,
      directIntegration: true,
      onlineWindow: 60,
      logoUrl: "https://acme.example/logo.svg"
    })
    const cleared = await edp("manufacturers", "update", "cli-acme", "--clear", "logo", "--json")
    expect(cleared.json().logoUrl).toBeNull()
    expect((await edp("manufacturers", "show", "cli-acme")).stdout).toMatch(/^slug +cli-acme\nname +Acme Energy\n/u)
    const listed = (await edp("manufacturers", "list", "--all")).stdout.split("\n")
    expect(listed.find((line) => line.startsWith("cli-acme "))).toMatch(/Acme Energy +battery, inverter +yes +no$/u)
  })

  test("a slug that is taken is reported with its field", async () => {
    const { edp } = await arrange()
    const again = await edp("manufacturers", "create", "--slug", "generic", "--name", "X", "--type", "meter")
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/^VALIDATION_ERROR: .*\n {2}slug: /u)])
  })
})

describe("edp device-models", () => {
  test("create, show, update and list, by id and by name", async () => {
    const { edp } = await arrange()
    const named = ["--manufacturer", "generic", "--name", "Wall 10 (cli)", "--type", "battery"]
    const made = (await edp("device-models", "create", ...named, "--static", '{"capacity": 10000}', "--json")).json()
    expect(made).toMatchObject({ manufacturer: "generic", type: "battery", staticState: { capacity: 10000 } })
    expect((await edp("device-models", "show", "Wall 10 (cli)", "--json")).json()).toEqual(made)
    expect((await edp("device-models", "show", made.id, "--json")).json()).toEqual(made)
    const commands = ["--command", "battery:set-reserve", "--clear", "static"]
    const changed = (await edp("device-models", "update", "Wall 10 (cli)", ...commands, "--json")).json()
    expect(changed).toMatchObject({ id: made.id, commands: ["battery:set-reserve"], staticState: null })
    const listed = await edp("device-models", "list", "--manufacturer", "generic", "--type", "battery")
    expect(listed.stdout).toMatch(new RegExp(`${made.id} +generic +Wall 10 \\(cli\\) +battery`, "u"))
  })

  test("reports an unknown model name, and a static state that is not an object", async () => {
    const { edp } = await arrange()
    expect((await edp("device-models", "show", "Nothing of the kind")).stderr).toBe(
      "DEVICE_MODEL_NOT_FOUND: There is no device model with the id or name Nothing of the kind"
    )
    const wrong = ["create", "--manufacturer", "generic", "--name", "X", "--type", "battery", "--static", "[]"]
    expect(await edp("device-models", ...wrong)).toMatchObject({ code: 2, stdout: "" })
  })
})

describe("edp organizations", () => {
  test("list and show print the organization of the key, and rename changes its name", async () => {
    const { edp, organizationId } = await arrange()
    expect((await edp("organizations", "list")).stdout).toContain(organizationId)
    const renamed = (await edp("organizations", "rename", "Sunny Valley Energy", "--json")).json()
    expect(renamed).toMatchObject({ id: organizationId, name: "Sunny Valley Energy" })
    expect((await edp("organizations", "show", "--json")).json()).toEqual(renamed)
    expect((await edp("organizations", "show", organizationId, "--json")).json()).toEqual(renamed)
  })
})
