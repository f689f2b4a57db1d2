import { describe, expect, test } from "vitest"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { arrangeGrid, useFakeVtn } from "../../server/grid/arrangeGrid.ts"
import { movableClock } from "../../support/movableClock.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { newKey, run } from "../fakeService.ts"
import { makeCli } from "../realService.ts"
import { withFiles } from "../withFiles.ts"

const clock = movableClock(Date.now())
const app = useTestApp({ own: true, clock })
const vtnNow = useFakeVtn()

/** A workspace whose command line follows a VTN. */
const arrange = async () => {
  const vtn = vtnNow()
  const grid = await arrangeGrid(app, clock, vtn)
  const edp = makeCli(app, grid)
  const env = { EDP_DATA_DIR: "/nonexistent", EDP_URL: app.url, EDP_KEY_SERVER: grid.keys.SERVER }
  const edpWithSecret = makeCli(app, grid, { ...env, EDP_GRID_CLIENT_SECRET: vtn.client.secret })
  const flags = ["--name", "Example Utility", "--vtn-url", vtn.url, "--ven-name", "example-ven"]
  const connect = (...more: ReadonlyArray<string>) =>
    edpWithSecret("grid", "connect", ...flags, "--client-id", vtn.client.id, ...more)
  return { ...grid, vtn, edp, edpWithSecret, connect, connectionId: async () => (await connect("--json")).json().id }
}

describe("edp grid", () => {
  test("connects to a VTN, shows how it goes, and never prints the secret", async () => {
    const { connect, edp, poll, vtn } = await arrange()
    const made = await connect("--target", "zone-7", "--target", "zone-8", "--poll-seconds", "30")
    expect([made.code, made.stderr]).toEqual([0, ""])
    expect(made.stdout).toMatch(/^status +connecting$/mu)
    const id = /^id +(\S+)$/mu.exec(made.stdout)![1]!
    await poll()
    const shown = await edp("grid", "show", id)
    expect(shown.stdout).toMatch(/^status +connected$/mu)
    expect(shown.stdout).toMatch(/^poll +every 30 s$/mu)
    expect(shown.stdout).toMatch(/^targets +zone-7, zone-8$/mu)
    expect(`${made.stdout}${shown.stdout}`).not.toContain(vtn.client.secret)
    const listed = await edp("grid", "list", "--status", "connected")
    expect(listed.stdout).toMatch(new RegExp(`${id} +Example Utility +connected +${vtn.url}`, "u"))
    expect((await edp("grid", "list", "--status", "paused")).stderr).toBe("no grid connections")
  })

  test("update changes what is given, pause and resume the polls, and disconnect ends it", async () => {
    const { connectionId, edp, edpWithSecret } = await arrange()
    const id = await connectionId()
    const renamed = (await edp("grid", "update", id, "--name", "Utility", "--target", "zone-9", "--json")).json()
    expect(renamed).toMatchObject({ name: "Utility", targets: ["zone-9"], clientId: "ven-42" })
    const moved = ["grid", "update", id, "--vtn-url", "https://other.example.com/openadr3", "--json"]
    expect(await edp(...moved)).toMatchObject({ code: 2, stdout: "" })
    expect((await edpWithSecret(...moved)).json()).toMatchObject({ vtnUrl: "https://other.example.com/openadr3" })
    expect((await edp("grid", "update", id, "--clear", "client", "--clear", "targets", "--json")).json()).toMatchObject(
      {
        clientId: null,
        targets: []
      }
    )
    expect((await edp("grid", "pause", id)).stdout).toMatch(/^status +paused$/mu)
    expect((await edp("grid", "resume", id)).stdout).toMatch(/^status +connecting$/mu)
    expect(await edp("grid", "disconnect", id)).toMatchObject({ code: 2, stdout: "" })
    expect((await edp("grid", "disconnect", id, "--yes")).stdout).toBe('The workspace no longer follows "Utility".')
    expect(await edp("grid", "show", id)).toMatchObject({ code: 1, stderr: expect.stringMatching(/^NOT_FOUND: /u) })
  })

  test("maps a program to an instance by rules, so that its events become dispatches", async () => {
    const { connectionId, dispatches, edp, event, home, instance, poll, vtn } = await arrange()
    await home()
    const id = await connectionId()
    const program = vtn.program({
      programName: "summer-peak",
      payloadDescriptors: [],
      attributes: [{ type: "RETAILER_NAME", values: ["Town Power"] }]
    })
    event(program.id, "SIMPLE", [1, 2], 60, "PT1H", { eventName: "Hot evening", priority: 3 })
    await poll()
    const { data } = (await edp("grid", "programs", id, "--json")).json()
    const before = await edp("grid", "events", id)
    expect(before.stdout).toMatch(/Hot evening +upcoming .* 3 +SIMPLE no_rule/u)
    const mapped = await edp(
      "grid",
      "map",
      data[0].id,
      "--instance",
      instance.slug,
      "--rule",
      "SIMPLE 1..: battery discharge"
    )
    expect([mapped.code, mapped.stderr]).toEqual([0, ""])
    expect(mapped.stdout).toMatch(/^rule 0 +SIMPLE 1\.\.: battery discharge$/mu)
    expect(await dispatches()).toHaveLength(1)
    const events = await edp("grid", "events", id, "--status", "upcoming", "--wide")
    expect(events.stdout).toMatch(/Hot evening +upcoming .* 3 +SIMPLE dispatched +summer-peak/u)
    const listed = await edp("grid", "programs", id)
    expect(listed.stdout).toMatch(
      new RegExp(`${data[0].id} +summer-peak .*${instance.slug} +SIMPLE 1\\.\\.: battery`, "u")
    )

    const terms = await edp("grid", "terms", instance.slug)
    expect(terms.stdout).toMatch(new RegExp(`${data[0].id} +summer-peak +Example Utility`, "u"))
    expect(terms.stdout).toContain("RETAILER_NAME Town Power")
    const rules = JSON.stringify([
      { payloadType: "PRICE", minimum: 1, actions: { battery: { operatingMode: "idle" } } }
    ])
    const replaced = (await edp("grid", "map", data[0].id, "--rules", rules, "--json")).json()
    expect(replaced).toMatchObject({ programInstanceId: instance.id, rules: JSON.parse(rules) })
    const ended = (await edp("grid", "map", data[0].id, "--instance", "none", "--rules", "[]", "--json")).json()
    expect(ended).toMatchObject({ programInstanceId: null, rules: [] })
    expect((await edp("grid", "terms", instance.slug)).stderr).toBe("no followed programs")
    expect((await dispatches()).map(({ status }) => status)).toEqual(["cancelled"])
  })

  test("timeline shows which event governs, and reports lists what goes back", async () => {
    const { at, connectionId, edp, event, poll, vtn } = await arrange()
    const id = await connectionId()
    const program = vtn.program({ programName: "prices" })
    const reportDescriptors = [{ payloadType: "FORECAST_OF_NOTHING", startInterval: -1, numIntervals: 1 }]
    event(program.id, "PRICE", [0.17, 0.21], 60, "PT1H", { eventName: "Day", reportDescriptors })
    await poll()
    const shown = await edp("grid", "timeline", id)
    expect(shown.stdout.split("\n").slice(1)).toEqual([
      expect.stringMatching(/prices +Day +PRICE 0\.17$/u),
      expect.stringMatching(/prices +Day +PRICE 0\.21$/u)
    ])
    expect(shown.stderr).toMatch(/^what governs from \S+ \S+ to /u)
    const none = await edp("grid", "timeline", id, "--from", at(600), "--to", at(660), "--json")
    expect([none.json().segments, none.stderr]).toEqual([[], expect.stringMatching(/^no event governs/u)])
    await poll(4 * 3600)
    const reports = await edp("grid", "reports", id)
    expect(reports.stdout).toMatch(/Day +FORECAST_OF_NOTHING .* not_reportable/u)
    expect((await edp("grid", "reports", id, "--status", "sent")).stderr).toBe("no reports")
  })
})

const env = { EDP_KEY_SERVER: newKey("SERVER"), EDP_URL: "http://service.test" }
const id = "cmj2k8x4a0q3v7n1r5t9w2y6b"
const needed = ["--name", "VTN", "--vtn-url", "https://vtn.example.com", "--ven-name", "ven"]

describe("edp grid", () => {
  it.effect("sends the first line of the secret's file", () =>
    withFiles({ "secret.txt": "a secret\r\nanother line\n" }, ([path]) =>
      Effect.gen(function* () {
        const args = ["grid", "connect", ...needed, "--client-id", "ven-42", "--client-secret-file", path!]
        const { requests } = yield* run(args, { env, routes: {} })
        expect(requests[0]?.body).toMatchObject({ clientId: "ven-42", clientSecret: "a secret" })
      })
    )
  )

  it.effect("sends no secret for a VTN that asks for no token, and no polls for a paused one", () =>
    Effect.gen(function* () {
      const args = ["grid", "connect", ...needed, "--paused"]
      const { requests } = yield* run(args, { env: { ...env, EDP_GRID_CLIENT_SECRET: "unasked" }, routes: {} })
      expect(requests[0]?.body).toEqual({
        name: "VTN",
        vtnUrl: "https://vtn.example.com",
        venName: "ven",
        enabled: false
      })
    })
  )

  it.effect("refuses what it can't send before it asks the service", () =>
    Effect.gen(function* () {
      for (const [args, message] of [
        [["connect", ...needed, "--client-id", "ven"], "--client-secret-file or set EDP_GRID_CLIENT_SECRET"],
        [["connect", ...needed, "--client-secret-file", "-"], "--client-secret-file needs --client-id"],
        [["connect", ...needed, "--poll-seconds", "5"], "10 to 3600"],
        [["update", id], "Nothing to change"],
        [["update", id, "--token-url", "https://t.example.com", "--clear", "token-url"], "--clear token-url"],
        [["map", id], "Nothing to change"],
        [["map", id, "--rules", "{}"], "--rules must be a JSON array"],
        [["map", id, "--rules", "[]", "--rule", "SIMPLE: share battery"], "can't be given together"]
      ] as const) {
        const result = yield* run(["grid", ...args], { env, routes: {} })
        expect(result).toMatchObject({ code: 2, requests: [] })
        expect(result.stderr).toContain(message)
      }
    })
  )

  it.effect("names the field of a rule that is wrong", () =>
    Effect.gen(function* () {
      const result = yield* run(["grid", "map", id, "--rule", "SIMPLE: share battery"], { env, routes: {} })
      expect([result.code, result.requests]).toEqual([1, []])
      expect(result.stderr).toContain("rules.0: share is for DISPATCH_SETPOINT and DISPATCH_SETPOINT_RELATIVE")
    })
  )
})
