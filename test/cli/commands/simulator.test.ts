import { describe, expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { makeCli } from "../realService.ts"

// Simulated accounts belong to no workspace.
const app = useTestApp({ own: true })

const arrange = async () => {
  const { keys } = await app.workspace()
  return makeCli(
    app,
    { keys },
    {
      EDP_DATA_DIR: "/nonexistent",
      EDP_URL: app.url,
      EDP_KEY_SERVER: keys.SERVER,
      EDP_KEY_MANAGEMENT: keys.MANAGEMENT
    }
  )
}

describe("edp simulator", () => {
  test("town links each home once, with its owner, its site and its devices", async () => {
    const edp = await arrange()
    const first = await edp("simulator", "town", "--homes", "2", "--output", "json")
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining("edp devices list --tag town")])
    const homes = first.json().data
    expect(homes.map(({ account, status }: any) => [account, status])).toEqual([
      ["town-1-1", "linked"],
      ["town-1-2", "linked"]
    ])
    const again = await edp("simulator", "town", "--homes", "3", "--output", "json")
    expect(again.json().data.map(({ status }: any) => status)).toEqual(["linked before", "linked before", "linked"])
    const devices = (await edp("devices", "list", "--tag", "town", "--all", "--output", "json")).json()
    expect(devices.totalItems).toBe(again.json().data.reduce((sum: number, home: any) => sum + home.devices, 0))
    const sites = (await edp("sites", "list", "--output", "json")).json().data
    expect(sites.map(({ address }: any) => address.streetOne)).toContain(homes[0].address)
    expect(sites.map(({ timezone }: any) => timezone)).toEqual(Array(3).fill("America/Los_Angeles"))
    expect((await edp("customers", "list", "--output", "json")).json().totalItems).toBe(3)
  })

  test("town links only homes with a device of a type", async () => {
    const edp = await arrange()
    const flags = ["--seed", "2", "--homes", "2", "--with", "meter", "--past", "2d"]
    const { code, json } = await edp("simulator", "town", ...flags, "--output", "json")
    expect(code).toBe(0)
    expect(json().data.map(({ status }: any) => status)).toEqual(["linked", "linked"])
    const { data } = (await edp("devices", "list", "--type", "meter", "--all", "--output", "json")).json()
    const meters = data.filter(({ manufacturerDeviceId }: any) => manufacturerDeviceId.startsWith("sim-2-"))
    expect(meters).toHaveLength(2)
  })

  test("demo adds a dispatch, an account without permission and a destination that fails, each once", async () => {
    const edp = await arrange()
    const counts = async () => {
      const list = async (...line: ReadonlyArray<string>) => (await edp(...line, "--output", "json")).json()
      const instance = ["--instance", "simulated-evenings"]
      const [enrollments, dispatches, destinations, { faults }] = [
        await list("enrollments", "list", ...instance),
        await list("dispatches", "list", ...instance),
        await list("destinations", "list"),
        await list("simulator", "show", "town-1-3")
      ]
      return {
        enrollments: enrollments.data.map(({ status }: any) => status).toSorted(),
        dispatches: dispatches.data.map(({ name, status }: any) => [name, status]),
        destinations: destinations.data.map(({ url }: any) => new URL(url).hostname),
        faults: faults.map(({ kind }: any) => kind)
      }
    }
    const first = await edp("simulator", "demo")
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining("edp dispatches report ")])
    const expected = {
      enrollments: [...Array(5).fill("approved"), "ineligible", "ineligible"],
      dispatches: [["First call", "scheduled"]],
      destinations: ["receiver.invalid"],
      faults: ["token_revoked"]
    }
    expect(await counts()).toEqual(expected)
    expect((await edp("simulator", "demo")).code).toBe(0)
    expect(await counts()).toEqual(expected)
  })

  test("faults, clock, storm and pair change an account, and show reports them", async () => {
    const edp = await arrange()
    const fault = ["simulator", "faults", "add", "sunny", "slow", "--device", "sim-sunny-battery", "--seconds", "2"]
    expect((await edp(...fault)).stdout).toMatch(/fault +slow at sim-sunny-battery from /)
    expect((await edp("simulator", "storm", "sunny", "--hours", "2")).stdout).toMatch(
      /fault +storm_mode from .* until /
    )
    const cleared = await edp("simulator", "faults", "clear", "sunny", "--output", "json")
    expect(cleared.json().faults).toEqual([])
    const clock = await edp("simulator", "clock", "second", "--behind", "2d", "--speed", "60", "--output", "json")
    // It has run on since.
    expect(clock.json().clock).toMatchObject({ behind: expect.closeTo(172_800, -4), speed: 60 })
    expect((await edp("simulator", "clock", "second", "--advance", "soon")).code).not.toBe(0)
    const paired = (await edp("simulator", "pair", "unpaired", "--output", "json")).json()
    expect(paired.faults).toEqual([])
    expect((await edp("simulator", "show", "sunny")).stdout).toMatch(/sim-sunny-vehicle +(online|asleep) \{/)
  })

  test("accounts and kinds of faults are listed with what they do", async () => {
    const edp = await arrange()
    const { stdout } = await edp("simulator", "accounts", "--all")
    expect(stdout).toMatch(/rate-limited +3 +Readings are answered with 429/)
    expect((await edp("simulator", "faults", "kinds")).stdout).toMatch(/storm_mode +devices +Batteries fill up/)
  })

  test("an account that does not exist is an error", async () => {
    const edp = await arrange()
    const { code, stderr } = await edp("simulator", "show", "nobody")
    expect([code, stderr]).toEqual([1, expect.stringContaining("The simulator has no such account")])
  })
})
