import { AlertType } from "@edp/domain/alerts/Alert"
import { type AlertRules, everyAlert } from "@edp/domain/alerts/AlertConfiguration"
import { previewRules, type RuleName } from "@edp/dashboard/pages/alerts/preview"
import { describe, expect, test } from "vitest"
import { Random } from "../../support/Random.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeAlerts } from "./arrangeAlerts.ts"

const app = useTestApp()
const path = "/dashboard/api/alert-configuration"

const severities = ["INFO", "WARNING", "CRITICAL"] as const
const types = ["SENSOR", "SAFETY", "UNKNOWN"] as const
const subtypes = ["LOW_SOE", "SLEEP_MODE", null] as const
const sources = ["edp", "Edp", "a%b, c"] as const

interface Seen {
  readonly id: string
  readonly severity: (typeof severities)[number]
  readonly type: string
  readonly subtype: string | null
  readonly sourceSystem: string
  readonly status: string
}

/** An alert of every combination, every second one of one device and every third one resolved. */
const arrange = async () => {
  const place = await arrangeAlerts(app)
  const deviceId = await place.device()
  const alerts: Array<Seen> = []
  for (const severity of severities) {
    for (const type of types) {
      for (const subtype of subtypes) {
        for (const sourceSystem of sources) {
          const device = alerts.length % 2 === 0 ? { deviceId } : {}
          const alert = await place.create({ severity, type, subtype, sourceSystem, ...device })
          const resolve = () => place.call("PATCH", `/v1/alerts/${alert.id}/resolve`)
          alerts.unshift(alerts.length % 3 === 0 ? (await resolve()).body : alert)
        }
      }
    }
  }
  const manage = (method: string, body?: object) =>
    app.call(method, path, { key: place.keys.MANAGEMENT, ...(body === undefined ? {} : { body }) })
  return { ...place, alerts, deviceId, manage, ofDevice: (alert: any) => alert.deviceId === deviceId }
}

const passes = ({ minimumSeverity, types, subtypes, sourceSystems }: AlertRules, alert: Seen) => {
  const shown = (rule: AlertRules["types" | "subtypes" | "sourceSystems"], value: string | null) =>
    rule === null || (rule.values as ReadonlyArray<string | null>).includes(value) === (rule.mode === "SHOW")
  const isGrave = minimumSeverity === null || severities.indexOf(alert.severity) >= severities.indexOf(minimumSeverity)
  return (
    isGrave && shown(types, alert.type) && shown(subtypes, alert.subtype) && shown(sourceSystems, alert.sourceSystem)
  )
}

const someRule = <Value extends string>(random: Random, values: ReadonlyArray<Value>) => {
  const mode = random.pick(["SHOW", "HIDE", "none"] as const)
  const some = values.filter(() => random.chance(0.5))
  return mode === "none" || some.length === 0 ? null : { mode, values: some }
}

const someRules = (random: Random): AlertRules => ({
  minimumSeverity: random.pick([null, ...severities]),
  types: someRule(random, [...types, "GENERATOR"] as const),
  subtypes: someRule(random, ["LOW_SOE", "SLEEP_MODE", "GPIO_SHUTDOWN"] as const),
  sourceSystems: someRule(random, [...sources, "nowhere"])
})

describe("a saved alert configuration", () => {
  test("filters and counts both lists, for all rules and filters of the caller", async () => {
    const { alerts, call, deviceId, keys, manage, ofDevice } = await arrange()
    const random = new Random(20_261_121)
    const expectList = async (list: string, expected: ReadonlyArray<Seen>) => {
      const { body } = await call("GET", `${list}${list.includes("?") ? "&" : "?"}perPage=100`)
      expect([body.totalItems, body.totalPages]).toEqual([expected.length, Math.min(1, expected.length)])
      expect(body.data.map(({ id }: Seen) => id)).toEqual(expected.map(({ id }) => id))
    }
    const groups = (await app.call("GET", `${path}/alerts`, { key: keys.MANAGEMENT })).body
    for (let round = 0; round < 40; round++) {
      const rules = someRules(random)
      // The dashboard computes in advance what the service then does.
      const preview = previewRules(rules, groups)
      expect((await manage("PUT", rules)).status).toBe(200)
      const shown = alerts.filter((alert) => passes(rules, alert))
      await expectList("/v1/alerts", shown)
      const present = alerts.filter(({ status }) => status === "OPEN")
      const hiddenBy = (name: RuleName) =>
        present.filter((alert) => !passes({ ...everyAlert, [name]: rules[name] }, alert)).length
      expect(preview).toEqual({
        total: present.length,
        shown: shown.filter(({ status }) => status === "OPEN").length,
        hidden: {
          minimumSeverity: hiddenBy("minimumSeverity"),
          types: hiddenBy("types"),
          subtypes: hiddenBy("subtypes"),
          sourceSystems: hiddenBy("sourceSystems")
        }
      })
      await expectList(`/v1/devices/${deviceId}/alerts`, shown.filter(ofDevice))
      await expectList(
        "/v1/alerts?status=OPEN&type=SENSOR,SAFETY",
        shown.filter(({ status, type }) => status === "OPEN" && type !== "UNKNOWN")
      )
      await expectList(
        `/v1/devices/${deviceId}/alerts?severity=WARNING`,
        shown.filter((alert) => ofDevice(alert) && alert.severity === "WARNING")
      )
    }
  })

  test("hides all types but one, and all types", async () => {
    const { alerts, call, manage } = await arrange()
    const hide = async (values: ReadonlyArray<string>) => {
      await manage("PUT", { types: { mode: "HIDE", values } })
      return (await call("GET", "/v1/alerts?perPage=100")).body.data
    }
    expect(await hide(AlertType.literals.filter((type) => type !== "SAFETY"))).toEqual(
      alerts.filter(({ type }) => type === "SAFETY")
    )
    expect(await hide(AlertType.literals)).toEqual([])
  })

  test("applies to each page, with equal totals on every page", async () => {
    const { alerts, call, manage } = await arrange()
    await manage("PUT", { minimumSeverity: "WARNING", types: { mode: "HIDE", values: ["SENSOR"] } })
    const shown = alerts.filter(({ severity, type }) => severity !== "INFO" && type !== "SENSOR")
    const walked: Array<string> = []
    for (let page = 1; page <= 4; page++) {
      const { body } = await call("GET", `/v1/alerts?perPage=10&page=${page}`)
      expect(body).toMatchObject({ page, totalItems: 36, totalPages: 4 })
      walked.push(...body.data.map(({ id }: Seen) => id))
    }
    expect(walked).toEqual(shown.map(({ id }) => id))
  })

  test("filters for every key that may list, including SCOPED ones", async () => {
    const { deviceId, keys, manage } = await arrange()
    await manage("PUT", { sourceSystems: { mode: "SHOW", values: ["edp"] } })
    const total = async (list: string, key: string) => (await app.call("GET", list, { key })).body.totalItems
    for (const type of ["SERVER", "API"] as const) expect(await total("/v1/alerts", keys[type])).toBe(27)
    const ofDevice = `/v1/devices/${deviceId}/alerts`
    expect(await total(ofDevice, keys.SCOPED)).toBe(await total(ofDevice, keys.SERVER))
    await manage("DELETE")
    expect(await total("/v1/alerts", keys.SERVER)).toBe(81)
    expect(await total(ofDevice, keys.SCOPED)).toBe(41)
  })

  test("does not affect GET by id, status changes and creation", async () => {
    const { call, create, manage } = await arrange()
    await manage("PUT", { minimumSeverity: "CRITICAL" })
    const hidden = await create({ severity: "INFO" })
    expect((await call("GET", `/v1/alerts/${hidden.id}`)).body).toEqual(hidden)
    expect((await call("GET", `/v1/alerts?id=${hidden.id}`)).body.totalItems).toBe(0)
    for (const [move, status] of [
      ["acknowledge", "ACKNOWLEDGED"],
      ["ignore", "IGNORED"],
      ["resolve", "RESOLVED"]
    ]) {
      const moved = await call("PATCH", `/v1/alerts/${hidden.id}/${move}`)
      expect([moved.status, moved.body.status]).toEqual([200, status])
    }
  })

  test("does not affect lists of other workspaces", async () => {
    const own = await arrangeAlerts(app)
    const sibling = { ...(await app.workspace(own.organizationId)) }
    await own.create()
    const body = { minimumSeverity: "CRITICAL" }
    const saved = await app.call("PUT", `${path}?workspaceId=${sibling.workspaceId}`, {
      key: own.keys.MANAGEMENT,
      body
    })
    expect(saved.status).toBe(200)
    expect((await own.call("GET", "/v1/alerts")).body.totalItems).toBe(1)
    await app.call("PUT", path, { key: own.keys.MANAGEMENT, body })
    expect((await own.call("GET", "/v1/alerts")).body.totalItems).toBe(0)
  })
})
