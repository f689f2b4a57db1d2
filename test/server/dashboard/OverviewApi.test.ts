import { compareDays, importedFrom } from "@edp/server/dashboard/overview/comparedEnergy"
import { Ids } from "@edp/server/platform/Ids"
import { Effect } from "effect"
import { beforeAll, describe, expect, test } from "vitest"
import { seedSite } from "../../support/Seed.ts"
import { type TestWorkspace, useTestApp } from "../../support/TestApp.ts"
import { eventually } from "../../support/eventually.ts"

const app = useTestApp()

interface Given {
  readonly type: string
  readonly siteId?: string
  readonly state?: object
  readonly staticState?: object
  readonly commands?: ReadonlyArray<string>
  /** Age of the reading in seconds. */
  readonly age?: number
  readonly reportedStatus?: string
  readonly disconnected?: boolean
}

const nextId = () => app.run(Effect.flatMap(Ids, (ids) => ids.next))

const addDevice = async ({ workspaceId }: TestWorkspace, given: Given) => {
  const id = await nextId()
  await app.sql(
    (sql) => sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, site_id, name, manufacturer,
        manufacturer_device_id, reference_id, model, type, static_state, commands, tags, direct, disconnected_at,
        created_at, updated_at)
      VALUES (${id}, ${workspaceId}, ${workspaceId}, ${given.siteId ?? null}, ${`The ${given.type}`}, 'tesla', ${id},
        'user-1', 'Model', ${given.type}, ${JSON.stringify(given.staticState ?? {})}::jsonb, ${given.commands ?? []},
        '{}', false, ${given.disconnected ? new Date() : null}, now(), now())`
  )
  if (given.state !== undefined) {
    await app.sql(
      (sql) => sql`INSERT INTO device_states (device_id, reading_id, at, first_at, state, reported_status)
        VALUES (${id}, ${id}, now() - ${given.age ?? 5} * interval '1 second', now() - interval '1 year',
          ${JSON.stringify(given.state)}::jsonb, ${given.reportedStatus ?? null})`
    )
  }
  return id
}

const overview = async (of: TestWorkspace) => {
  const { body, status, text } = await app.call("GET", "/dashboard/api/overview", { key: of.keys.MANAGEMENT })
  expect(status, text).toBe(200)
  return body
}

/** An overview that took long is reused for a while, so a change is waited for. */
const dispatchableWhen = (of: TestWorkspace, shows: (dispatchable: any) => boolean) =>
  eventually("the overview shows the change", async () => {
    const { dispatchable } = await overview(of)
    return shows(dispatchable) ? dispatchable : undefined
  })

const figure = (value: number, counted: number, silent = 0, unmeasured = 0) => ({
  value,
  reason: null,
  counted,
  silent,
  unmeasured
})
const none = (reason: string, silent = 0, unmeasured = 0) => ({ value: null, reason, counted: 0, silent, unmeasured })

const steered = (type: string) => [`${type}:set-operating-mode`]
const battery = (chargeRate: number, chargePercentage: number, more: object = {}) => ({
  chargingState: "idle",
  charge: chargePercentage * 100,
  chargePercentage,
  whConsumed: null,
  chargeRate,
  ...more
})
const ratings = { capacity: 10_000, maxChargeRate: 4000, maxDischargeRate: 5000 }

describe("the overview", () => {
  let own: TestWorkspace
  beforeAll(async () => {
    own = await app.workspace()
    const other = await app.workspace()
    await addDevice(other, { type: "inverter", state: { power: 99_000 } })
  })

  test("an empty workspace has no figure, and says why", async () => {
    const empty = await overview(await app.workspace())
    expect(empty.devices).toBe(0)
    const absent = none("no_devices")
    expect(empty.power).toEqual({ solar: absent, homes: absent, batteries: absent, charging: absent, grid: absent })
    expect(empty.stored).toEqual(absent)
    expect(empty.storedShare).toBeNull()
    for (const kind of Object.values(empty.dispatchable)) {
      expect(kind).toEqual({ upW: absent, downW: absent, upWh: absent, downWh: absent })
    }
    expect(empty.attention).toEqual({
      alerts: { count: 0, first: [] },
      accounts: { count: 0, first: [] },
      destinations: { count: 0, first: [] },
      devices: { count: 0, first: [] }
    })
    expect(empty).toMatchObject({ dispatches: [], schedules: { count: 0, next: [] } })
  })

  test("power is the sum of fresh readings, each site by the device that measures it, and never of silent devices", async () => {
    const site = () => seedSite(app, own.keys.SERVER).then(({ id }) => id as string)
    const [metered, inverted, quiet] = [await site(), await site(), await site()]
    // The balance of the meter: 4000 generated, 1000 into the battery, 500 exported. The vehicle is charged by the charger.
    await addDevice(own, { type: "inverter", siteId: metered, state: { power: 4000 } })
    await addDevice(own, { type: "meter", siteId: metered, state: { power: -500 } })
    await addDevice(own, { type: "battery", siteId: metered, state: battery(-1000, 50) })
    await addDevice(own, {
      type: "charger",
      siteId: metered,
      state: { chargingState: "charging", chargerWattage: 700 }
    })
    await addDevice(own, { type: "vehicle", siteId: metered, state: { chargePercentage: 50, chargerWattage: 710 } })
    // The inverter measures load and grid; a vehicle alone counts.
    await addDevice(own, {
      type: "inverter",
      siteId: inverted,
      state: { power: 1000, loadPower: 3000, gridPower: 2000 }
    })
    await addDevice(own, { type: "vehicle", siteId: inverted, state: { chargePercentage: 50, chargerWattage: 300 } })
    // Without its inverter the balance of a site is unknown, and its meter still measures the grid.
    await addDevice(own, { type: "inverter", siteId: quiet, state: { power: 8000 }, age: 86_400 })
    await addDevice(own, { type: "meter", siteId: quiet, state: { power: 100 } })
    // It exports more than anything measures.
    await addDevice(own, { type: "meter", state: { power: -50 } })
    await addDevice(own, { type: "battery", state: battery(9000, 50), reportedStatus: "asleep" })
    await addDevice(own, { type: "battery", state: { ...battery(0, 30), chargeRate: undefined } })
    await addDevice(own, { type: "battery", state: battery(9000, 50), disconnected: true })
    const { power, stored } = await overview(own)
    expect(power).toEqual({
      solar: figure(5000, 2, 1),
      homes: figure(2500 + 3000, 2, 1, 3),
      batteries: figure(-1000, 1, 1, 1),
      charging: figure(1000, 2),
      grid: figure(-500 + 2000 + 100 - 50, 4, 1, 1)
    })
    expect(stored).toEqual(figure(5000 + 3000, 2, 1))
  })

  test("dispatchable power follows charge, reserve, ratings and limits of sites", async () => {
    const place = await app.workspace()
    const { id: siteId } = await seedSite(app, place.keys.SERVER, { maxExportW: 3000, maxImportW: 2500 })
    const add = (given: Given) => addDevice(place, { commands: steered(given.type), ...given })
    // Up to 5000 W and from half a charge to its reserve of a fifth; it delivers 1000 W already.
    await add({ type: "battery", staticState: ratings, state: battery(1000, 50, { backupReserve: 20 }) })
    let { dispatchable } = await overview(place)
    expect(dispatchable.batteries).toEqual({
      upW: figure(4000, 1),
      downW: figure(4000 + 1000, 1),
      upWh: figure(3000, 1),
      downWh: figure(5000, 1)
    })
    // Storm mode keeps all of the charge: only the end of charging is left. The site's limit of import is below the rating.
    await add({ type: "battery", siteId, staticState: ratings, state: battery(-500, 50, { isStormModeActive: true }) })
    // Full, and at its site's limit of export.
    await add({ type: "battery", siteId, staticState: ratings, state: battery(0, 100) })
    // Not controllable, without ratings, and silent.
    await addDevice(place, { type: "battery", staticState: ratings, state: battery(0, 50) })
    await add({ type: "battery", state: battery(0, 50) })
    await add({ type: "battery", staticState: ratings, state: battery(0, 50), age: 86_400 })
    await addDevice(place, { type: "thermostat", state: { ambientTemperature: 70 } })
    dispatchable = await dispatchableWhen(place, ({ thermostats }) => thermostats.upW.unmeasured === 1)
    expect(dispatchable.batteries).toEqual({
      upW: figure(4000 + 3000 + 500, 3, 1, 1),
      downW: figure(5000 + 2500 - 500, 3, 1, 1),
      upWh: figure(3000 + 10_000, 3, 1, 1),
      downWh: figure(5000 + 5000, 3, 1, 1)
    })
    expect(dispatchable.thermostats.upW).toEqual(none("not_reported", 0, 1))
    expect(dispatchable.charging.upW).toEqual(none("no_devices"))
    // A charger can be paused; a plugged vehicle takes more until its limit, within what the batteries leave of the site's limit.
    const vehicle = { chargePercentage: 40, chargeLimit: 80, chargerWattage: 1000, isPluggedIn: true }
    await add({ type: "vehicle", staticState: { capacity: 50_000, maxChargeRate: 7000 }, state: vehicle })
    await add({ type: "charger", state: { chargerWattage: 1500 } })
    dispatchable = await dispatchableWhen(place, ({ charging }) => charging.upW.counted === 2)
    expect(dispatchable.charging).toEqual({
      upW: figure(1000 + 1500, 2),
      downW: figure(6000, 1),
      upWh: none("not_reported", 0, 2),
      downWh: figure(20_000, 1)
    })
  })

  test("each kind of need is counted with its first records, and another workspace sees none of it", async () => {
    const place = await app.workspace()
    const at = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()
    const devices: Array<string> = []
    for (const age of [7200, 86_400, 3600, 90_000]) {
      devices.push(await addDevice(place, { type: "inverter", state: { power: 1 }, age }))
    }
    const { id: siteId } = await seedSite(app, place.keys.SERVER, { name: "Elm Street" })
    const alert = async (severity: string) => {
      const subject = { siteId, sourceSystem: "scada" }
      const body = { title: `A ${severity} fault`, severity, type: "HARDWARE_FAULT", ...subject }
      const { status, text } = await app.call("POST", "/v1/alerts", { key: place.keys.SERVER, body })
      expect(status, text).toBe(201)
    }
    await alert("CRITICAL")
    await alert("WARNING")
    const accountId = await nextId()
    await app.sql(
      (sql) => sql`INSERT INTO accounts (id, workspace_id, manufacturer, external_id, name, reference_id, tags, status,
          disconnected_at, created_at, updated_at)
        VALUES (${accountId}, ${place.workspaceId}, 'tesla', 'x', 'ada@example.com', 'user-1', '{}', 'failed',
          ${at(60)}, now(), now())`
    )
    const made = await Promise.all(
      ["failing", "off", "fine"].map((label) =>
        app.call("POST", "/v1/destinations", {
          key: place.keys.SERVER,
          body: { label, destinationType: "WEBHOOK", url: "https://example.com/hook", eventTypes: ["ALERT_CREATED"] }
        })
      )
    )
    const [failing, off] = made.map(({ body }) => body.id)
    await app.sql((sql) => sql`UPDATE destinations SET failing_since = now() WHERE id = ${failing}`)
    await app.sql(
      (sql) => sql`UPDATE destinations SET deactivated_at = now(), deactivated_reason = 'Deactivated by an operator'
        WHERE id = ${off}`
    )
    const { attention } = await overview(place)
    expect(attention.alerts).toMatchObject({ count: 1, first: [{ title: "A CRITICAL fault", siteName: "Elm Street" }] })
    expect(attention.accounts).toMatchObject({ count: 1, first: [{ id: accountId, name: "ada@example.com" }] })
    expect(attention.destinations).toMatchObject({ count: 1, first: [{ id: failing, deactivated: false }] })
    expect(attention.devices.count).toBe(4)
    expect(attention.devices.first.map(({ id }: { readonly id: string }) => id)).toEqual(
      [3, 1, 0].map((n) => devices[n])
    )
    const strange = await overview(await app.workspace())
    expect(Object.values(strange.attention).map((each: any) => each.count)).toEqual([0, 0, 0, 0])
  })

  test("dispatches and schedules that run or come next are in the order of their times", async () => {
    const place = await app.workspace()
    const [programId, instanceId] = [await nextId(), await nextId()]
    await app.sql(
      (sql) => sql`INSERT INTO programs (id, slug, name, description, states, active, visibility, organization_id,
          created_at, updated_at)
        SELECT ${programId}, ${programId}, 'Summer', '', '{}', true, 'PRIVATE', organization_id, now(), now()
        FROM workspaces WHERE id = ${place.workspaceId}`
    )
    await app.sql(
      (sql) => sql`INSERT INTO program_instances (id, workspace_id, program_id, slug, page_slug, title, description,
          eligibility_criteria, program_terms, terms_version, enrollment_periods, status, created_at, updated_at)
        VALUES (${instanceId}, ${place.workspaceId}, ${programId}, 'summer', ${instanceId}, 'Summer', '', '', '', 1,
          '[]', 'ACTIVE', now(), now())`
    )
    const dispatch = async (name: string, status: string, from: number, to: number) => {
      const id = await nextId()
      await app.sql(
        (sql) => sql`INSERT INTO dispatches (id, workspace_id, program_instance_id, name, starts_at, ends_at, intervals,
            priority, randomize_start_seconds, voluntary, test, baseline, status, created_at, updated_at)
          VALUES (${id}, ${place.workspaceId}, ${instanceId}, ${name}, now() + ${from} * interval '1 minute',
            now() + ${to} * interval '1 minute', '[]', 1, 0, true, false, '{}', ${status}, now(), now())`
      )
    }
    await dispatch("tomorrow", "scheduled", 1440, 1500)
    await dispatch("running", "running", -30, 30)
    await dispatch("over", "completed", -90, -60)
    await dispatch("draft", "draft", 10, 20)
    const schedule = async (name: string, minutes: number) => {
      const id = await nextId()
      await app.sql(
        (sql) => sql`INSERT INTO schedules (id, workspace_id, name, tag, device_type, timezone, rules, enabled,
            next_transition_at, created_at, updated_at)
          VALUES (${id}, ${place.workspaceId}, ${name}, 'pilot', 'battery', 'UTC', '[]', true,
            now() + ${minutes} * interval '1 minute', now(), now())`
      )
    }
    for (const [name, minutes] of [
      ["third", 90],
      ["first", 10],
      ["fourth", 120],
      ["second", 20]
    ] as const) {
      await schedule(name, minutes)
    }
    const { dispatches, schedules } = await overview(place)
    expect(dispatches).toMatchObject([
      { name: "running", status: "running" },
      { name: "tomorrow", status: "scheduled" }
    ])
    expect(schedules.count).toBe(4)
    expect(schedules.next.map(({ name }: { readonly name: string }) => name)).toEqual(["first", "second", "third"])
  })

  test("the energy of today is compared over the quarters that both days have measured", async () => {
    const place = await app.workspace()
    await app.sql((sql) => sql`UPDATE workspaces SET timezone = 'UTC' WHERE id = ${place.workspaceId}`)
    const empty = await app.call("GET", "/dashboard/api/overview/energy", { key: place.keys.MANAGEMENT })
    expect(empty.status, empty.text).toBe(200)
    const { comparedFrom, comparedTo, energies, from, to } = empty.body
    expect(Date.parse(from) % 86_400_000).toBe(0)
    expect(Date.parse(from) - Date.parse(comparedFrom)).toBe(7 * 86_400_000)
    expect(Date.parse(to) - Date.parse(from)).toBe(Date.parse(comparedTo) - Date.parse(comparedFrom))
    expect(energies.map(({ name, value }: any) => [name, value])).toEqual([
      ["generation", null],
      ["load", null],
      ["imported", null],
      ["exported", null]
    ])
    expect(energies.every(({ compared, reason }: any) => compared === null && reason !== null)).toBe(true)
  })
})

test("energies are compared over quarters that both days have measured by half, and about as much as each other", () => {
  const point = (value: number | null, coverage: number) => ({ timestamp: "", value, coverage })
  const series = (...points: ReadonlyArray<ReturnType<typeof point>>) => points
  const nothing = series({ timestamp: "", value: null, coverage: 0, reason: "before_first_reading" } as never)
  const days = (generation: ReturnType<typeof series>) => ({
    generation,
    load: nothing,
    exported: series(point(200, 1)),
    imported: importedFrom(series(point(-150, 1)), series(point(200, 1)))
  })
  const today = days(series(point(100, 0.85), point(200, 0.95), point(300, 0.5), point(400, 1), point(500, 0.4)))
  const before = days(series(point(80, 0.86), point(100, 1), point(300, 1), point(null, 0), point(500, 0.4)))
  expect(compareDays(today, before)).toEqual([
    { name: "generation", value: 1500, reason: null, compared: { today: 300, before: 180, share: 0.4 } },
    { name: "load", value: null, reason: "before_first_reading", compared: null },
    { name: "imported", value: 50, reason: null, compared: { today: 50, before: 50, share: 1 } },
    { name: "exported", value: 200, reason: null, compared: { today: 200, before: 200, share: 1 } }
  ])
})
