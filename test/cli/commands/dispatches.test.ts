import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Ids } from "@edp/server/platform/Ids"
import { Effect } from "effect"
import { describe, expect, onTestFinished, test } from "vitest"
import { arrangeBaselines, HOUR, local } from "../../server/dispatches/arrangeBaselines.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { makeCli } from "../realService.ts"

const app = useTestApp()

const arrange = async () => {
  const on = await arrangeBaselines(app)
  const edp = makeCli(app, on)
  const create = async (...flags: ReadonlyArray<string>) =>
    edp("dispatches", "create", "--instance", on.instance.slug, "--name", "Hot evening", ...flags)
  return { ...on, edp, create }
}

const inFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "edp-dispatches-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return (name: string) => join(folder, name)
}

const start = new Date(Math.ceil(Date.now() / HOUR) * HOUR + 24 * HOUR).toISOString()
const evening = [
  "--start",
  start,
  "--duration",
  "2h",
  "--battery",
  "discharge minimumBatteryReserve=20 enableGridInteraction=true"
]

describe("edp dispatches", () => {
  test("create makes a dispatch of one interval from flags, and show, list, update and cancel print it", async () => {
    const { create, edp, instance } = await arrange()
    const made = (
      await create(
        ...evening,
        "--charger-power",
        "0",
        "--nominated-power",
        "5000",
        "--random-start",
        "5m",
        "--priority",
        "0",
        "--baseline",
        "x-of-y",
        "--baseline-parameters",
        '{"x":3,"y":5}',
        "--involuntary",
        "--test",
        "--draft",
        "--json"
      )
    ).json()
    expect(made).toMatchObject({
      programInstanceId: instance.id,
      name: "Hot evening",
      startsAt: start,
      intervals: [
        {
          durationSeconds: 7200,
          actions: {
            battery: { operatingMode: "discharge", minimumBatteryReserve: 20, enableGridInteraction: true },
            charger: { targetPowerW: 0 }
          }
        }
      ],
      nominatedPowerW: 5000,
      randomizeStartSeconds: 300,
      priority: 0,
      voluntary: false,
      test: true,
      status: "draft",
      baseline: { method: "x-of-y", parameters: { x: 3, y: 5 } }
    })
    const shown = (await edp("dispatches", "show", made.id)).stdout
    expect(shown).toMatch(
      /^interval 0 +\S+ \S+, 120 min: battery discharge .*minimumBatteryReserve=20.*; charger targetPowerW=0$/mu
    )
    expect(shown).toMatch(/^voluntary +no$/mu)
    const changed = await edp("dispatches", "update", made.id, "--status", "scheduled", "--name", "Hot night", "--json")
    expect(changed.json()).toMatchObject({ status: "scheduled", name: "Hot night", intervals: made.intervals })
    const listed = (
      await edp("dispatches", "list", "--instance", instance.id, "--status", "scheduled", "--test", "true")
    ).stdout
    expect(listed.split("\n")[1]).toMatch(new RegExp(`^${made.id} +Hot night +scheduled \\(test\\)`, "u"))
    const cancelled = (await edp("dispatches", "cancel", made.id, "--reason", "It rained", "--json")).json()
    expect(cancelled).toMatchObject({ status: "cancelled", reason: "It rained" })
  })

  test("create takes a whole body from a file, a start from now, and a power that charges", async () => {
    const { create, edp, instance } = await arrange()
    const inside = inFolder()
    const interval = (minutes: number) => ({
      startsAt: new Date(Date.parse(start) + minutes * 60_000).toISOString(),
      durationSeconds: 1800,
      actions: { thermostat: { operatingMode: "cool", coolTarget: 78 } }
    })
    writeFileSync(
      inside("body.json"),
      JSON.stringify({ name: "Two", priority: 7, intervals: [interval(0), interval(60)] })
    )
    const two = await edp(
      "dispatches",
      "create",
      "--instance",
      instance.slug,
      "--file",
      inside("body.json"),
      "--priority",
      "3",
      "--json"
    )
    expect(two.json()).toMatchObject({ name: "Two", priority: 3, intervals: [{ durationSeconds: 1800 }, interval(60)] })
    const before = Date.now()
    const soon = (await create("--start", "10m", "--duration", "15m", "--battery-power=-2000", "--json")).json()
    expect(soon.intervals[0].actions).toEqual({ battery: { targetPowerW: -2000 } })
    expect(Date.parse(soon.startsAt) - before).toBeGreaterThanOrEqual(600_000)
    expect(Date.parse(soon.startsAt) - Date.now()).toBeLessThanOrEqual(600_000)
  })

  test.each([
    [["--start", "10m"], "An interval needs --start, --duration and a mode or a power"],
    [[], "Pass --start, --duration and a mode, such as --battery discharge, or --file"],
    [[...evening, "--battery-power", "100"], "--battery and --battery-power can't be given together"],
    [
      [...evening, "--file", "body.json"],
      "--file has the intervals: --start, --duration and modes can't be given with it"
    ],
    [[...evening, "--baseline-parameters", "{}"], "--baseline-parameters needs --baseline"],
    [[...evening.slice(0, 4), "--battery", "fly"], "The input of battery:set-operating-mode is not valid"]
  ])("create refuses %j", async (flags, message) => {
    const { create } = await arrange()
    const { code, stderr } = await create(...flags)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  test("create needs a name, update something to change", async () => {
    const { edp, instance } = await arrange()
    expect((await edp("dispatches", "create", "--instance", instance.slug, ...evening)).stderr).toContain("Pass --name")
    const unchanged = await edp("dispatches", "update", instance.id)
    expect([unchanged.code, unchanged.stderr]).toEqual([2, expect.stringContaining("Nothing to change")])
  })

  test("participants lists sites with their states, and opt-out takes one out", async () => {
    const { create, edp, instance, site, workspaceId } = await arrange()
    const home = await site({ name: "Home of Ada" })
    const id = await app.run(Effect.flatMap(Ids, (ids) => ids.next))
    await app.sql(
      (
        sql
      ) => sql`INSERT INTO enrollments (id, workspace_id, program_instance_id, identification_type, customer_id, site_id, status,
          tags, submits, approved_at, created_at, updated_at)
        VALUES (${id}, ${workspaceId}, ${instance.id}, 'customerId', ${id}, ${home.id}, 'approved', '{}', true, now(), now(), now())`
    )
    const dispatch = (await create(...evening, "--json")).json()
    const listed = await edp("dispatches", "participants", dispatch.id, "--state", "notified", "--site", "Home of Ada")
    expect(listed.stdout.split("\n")[1]).toMatch(new RegExp(`^${home.id} +Home of Ada +notified`, "u"))
    const out = await edp("dispatches", "opt-out", dispatch.id, "Home of Ada", "--reason", "Guests")
    expect(out.stdout).toMatch(/^state +opted_out$/mu)
    const none = await edp("dispatches", "participants", dispatch.id, "--state", "notified")
    expect(none.stderr).toContain("no sites")
  })
})

describe("edp dispatches report", () => {
  /** A home that uses 1000 W, and exports 500 W in the first three of the four hours of a dispatch. */
  const dispatched = async () => {
    const on = await arrange()
    const { siteId } = await on.home(["2026-06-01", "2026-07-15"], (date, hour) => {
      if (date !== "2026-07-14") return 1000
      return hour >= 17 && hour < 20 ? -500 : hour === 20 ? 800 : 1000
    })
    const id = await on.dispatch({
      method: "x-of-y",
      from: local("2026-07-14T17:00"),
      to: local("2026-07-14T21:00"),
      nominatedPowerW: 1000,
      sites: [{ siteId }]
    })
    return { ...on, id, siteId }
  }

  test("prints the result, a plot of baseline against actual use, and the sites", async () => {
    const { edp, id, siteId } = await dispatched()
    const { code, stdout } = await edp("dispatches", "report", id)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^delivered +4\.7 kWh$/mu)
    expect(stdout).toMatch(/^performance +117\.5 %$/mu)
    expect(stdout).toMatch(/^sites +1 of 1 count$/mu)
    expect(stdout).toContain("Net import, July 14, 2026 at 17:00 to July 14, 2026 at 21:00 (America/Los_Angeles)")
    expect(stdout).toContain("⣿ actual   ━ baseline (x-of-y)")
    const lines = stdout.split("\n")
    expect(lines.filter((line) => /▔{40,}|━{40,}|▁{40,}/u.test(line))).toHaveLength(1)
    expect(lines.filter((line) => /⣿{30,}/u.test(line)).length).toBeGreaterThan(1)
    expect(stdout).toMatch(new RegExp(`^${siteId} .* 4\\.0 kWh +-700 Wh +4\\.7 kWh +100 %`, "mu"))
    expect((await edp("dispatches", "report", id, "--json")).json()).toMatchObject({
      dispatchId: id,
      deliveredWh: 4700
    })
  })

  test("prints the CSV of the API", async () => {
    const { csv, edp, id } = await dispatched()
    const { stdout } = await edp("dispatches", "report", id, "--csv")
    expect(stdout).toBe((await csv(id)).text.trimEnd())
    expect(stdout.split("\r\n")).toHaveLength(17)
  })

  test("writes a chart as SVG and PNG", async () => {
    const { edp, id } = await dispatched()
    const inside = inFolder()
    const { code, stderr, stdout } = await edp(
      "dispatches",
      "report",
      id,
      "--svg",
      inside("report.svg"),
      "--png",
      inside("report.png"),
      "--title",
      "July 14"
    )
    expect([code, stdout]).toEqual([0, ""])
    expect(stderr).toContain(`wrote ${inside("report.png")}`)
    const svg = readFileSync(inside("report.svg"), "utf8")
    for (const text of ["July 14", "baseline (x-of-y)", "actual", "delivered 4.7 kWh, 1,175 W on average"]) {
      expect(svg).toContain(text)
    }
    expect(readFileSync(inside("report.png")).subarray(1, 4).toString()).toBe("PNG")
  })

  test("reports that nothing is known, and draws no chart of it", async () => {
    const { dispatch, edp, site } = await arrange()
    const from = local("2026-07-14T17:00")
    const id = await dispatch({ method: "x-of-y", from, to: from + HOUR, sites: [{ siteId: (await site()).id }] })
    const { stdout } = await edp("dispatches", "report", id)
    expect(stdout).toMatch(/^delivered +- \(no sites\)$/mu)
    expect(stdout).toMatch(/^sites +0 of 1 count$/mu)
    expect(stdout).not.toContain("Net import")
    const chart = await edp("dispatches", "report", id, "--svg", inFolder()("report.svg"))
    expect([chart.code, chart.stderr]).toEqual([1, expect.stringContaining("Nothing is known of this dispatch yet")])
    expect((await edp("dispatches", "report", id, "--csv", "--json")).stderr).toContain(
      "--csv can't be combined with --json"
    )
    expect((await edp("dispatches", "report", id, "--title", "x")).stderr).toContain("--title is for --svg and --png")
  })
})
