import { CommandOutcomes } from "@edp/server/commands/CommandOutcomes"
import { CommandRunner } from "@edp/server/commands/CommandRunner"
import { DispatchRunner } from "@edp/server/dispatches/DispatchRunner"
import { Effect, Logger } from "effect"
import { expect } from "vitest"
import { eventually } from "../../support/eventually.ts"
import type { Random } from "../../support/Random.ts"
import { seedSite } from "../../support/Seed.ts"
import { discovered, type scriptedAdapter } from "../../support/scriptedAdapter.ts"
import type { Running, TestApp } from "../../support/TestApp.ts"
import { arrangeAccounts } from "../accounts/arrangeAccounts.ts"
import { batteryCommands } from "../commands/arrangeCommands.ts"
import { ModelBattery } from "../commands/ModelBattery.ts"
import { arrangePrograms } from "../programs/arrangePrograms.ts"
import type { TestClock } from "./arrangeDispatches.ts"
import { expectLegal, expectOneHolder, type SeenDispatch, type SeenPlace, type SeenSite } from "./dispatchRules.ts"

export interface WorldHome {
  readonly siteId: string
  readonly devices: ReadonlyArray<{ readonly id: string; readonly battery: ModelBattery }>
}

interface SentCommand {
  readonly id: string
  readonly siteId: string
  readonly dispatchId: string | null
}

const seconds = (n: number) => n * 1000

/** Homes with batteries that are enrolled in two program instances, and dispatches on them. Everything that may happen is a step. */
export class DispatchWorld {
  readonly homes: ReadonlyArray<WorldHome>
  readonly #app: TestApp
  readonly #clock: TestClock
  readonly #random: Random
  readonly #scripted: ReturnType<typeof scriptedAdapter>
  readonly #place: Awaited<ReturnType<typeof arrangeAccounts>>
  readonly #instances: ReadonlyArray<string>
  #enrollments = 0
  #sent: number
  #dispatches = new Map<string, SeenDispatch>()
  #sites = new Map<string, SeenSite>()

  private constructor(
    app: TestApp,
    clock: TestClock,
    random: Random,
    scripted: ReturnType<typeof scriptedAdapter>,
    place: Awaited<ReturnType<typeof arrangeAccounts>>,
    instances: ReadonlyArray<string>,
    homes: ReadonlyArray<WorldHome>
  ) {
    this.#app = app
    this.#clock = clock
    this.#random = random
    this.#scripted = scripted
    this.#place = place
    this.#instances = instances
    this.homes = homes
    this.#sent = scripted.sent.length
  }

  static async make(
    app: TestApp,
    clock: TestClock,
    scripted: ReturnType<typeof scriptedAdapter>,
    random: Random,
    size: number
  ) {
    const place = await arrangeAccounts(app, scripted)
    const programs = await arrangePrograms(app, { ...(await app.workspace()), ...place })
    const program = await programs.program()
    const instances = [
      (await programs.instance({ programSlug: program.slug })).id,
      (await programs.instance({ programSlug: program.slug })).id
    ]
    const homes: Array<WorldHome> = []
    for (let index = 0; index < size; index++) {
      const siteId: string = (await seedSite(app, place.keys.SERVER)).id
      const devices = []
      for (let n = 0; n <= index % 2; n++) {
        const person = scripted.account()
        person.account.devices = [discovered(person.device, { type: "battery", commands: batteryCommands })]
        const { deviceId: id } = await place.link(person)
        await app.sql((sql) => sql`UPDATE devices SET site_id = ${siteId} WHERE id = ${id} RETURNING 1`)
        const battery = new ModelBattery(random, () => clock.currentTimeMillisUnsafe())
        person.account.send = battery.send
        person.account.restore = battery.restore
        devices.push({ id, battery })
      }
      homes.push({ siteId, devices })
    }
    const world = new DispatchWorld(app, clock, random, scripted, place, instances, homes)
    for (const { siteId } of homes) await world.enroll(siteId, instances[0]!)
    return world
  }

  get now() {
    return this.#clock.currentTimeMillisUnsafe()
  }

  get devices() {
    return this.homes.flatMap(({ devices }) => devices)
  }

  get dispatches() {
    return [...this.#dispatches.values()]
  }

  get instances() {
    return this.#instances
  }

  #run<A, E>(effect: Effect.Effect<A, E, Running>) {
    return this.#app.run(effect.pipe(Effect.provide(Logger.layer([]))))
  }

  move(milliseconds: number) {
    this.#clock.move(milliseconds)
  }

  /** An enrollment of the site that takes part from now on; another one of the instance may be there. */
  async enroll(siteId: string, instanceId: string) {
    const id = `c${this.#place.workspaceId.slice(-12)}${String(this.#enrollments++).padStart(12, "0")}`
    const at = new Date(this.now)
    await this.#app.sql(
      (sql) => sql`INSERT INTO enrollments (id, workspace_id, program_instance_id, identification_type, customer_id,
          site_id, status, tags, submits, submitted_at, approved_at, created_at, updated_at)
        VALUES (${id}, ${this.#place.workspaceId}, ${instanceId}, 'customerId', ${id}, ${siteId}, 'approved', '{}', true,
          ${at}, ${at}, ${at}, ${at})`
    )
  }

  /** Ends all enrollments of a site. */
  unenroll(siteId: string) {
    return this.#app.sql(
      (sql) => sql`UPDATE enrollments SET status = 'unenrolled', unenrolled_at = ${new Date(this.now)}
        WHERE site_id = ${siteId} AND status = 'approved' RETURNING 1`
    )
  }

  #intervals() {
    const random = this.#random
    let at = this.now + seconds(random.pick([0, 10, 60, 200]))
    return Array.from({ length: 1 + random.below(3) }, () => {
      at += seconds(random.pick([0, 0, 90, 300]))
      const durationSeconds = random.pick([60, 90, 240, 900])
      const operatingMode = random.pick(["charge", "discharge", "idle"])
      const startsAt = new Date(at).toISOString()
      at += seconds(durationSeconds)
      return { startsAt, durationSeconds, actions: { battery: { operatingMode } } }
    })
  }

  async create() {
    const random = this.#random
    const response = await this.#place.call("POST", `/v1/programInstances/${random.pick(this.#instances)}/dispatches`, {
      name: "Any",
      intervals: this.#intervals(),
      priority: random.below(3),
      randomizeStartSeconds: random.pick([0, 0, 30, 200]),
      voluntary: random.chance(0.8),
      status: random.chance(0.15) ? "draft" : "scheduled",
      ...(random.chance(0.3) && { baseline: { method: "hold-out", parameters: { share: 0.3 } } })
    })
    expect(response.status, response.text).toBe(201)
  }

  /** A call is answered with 200 if the state allows it, else with INVALID_STATE. */
  async #attempt(method: string, path: string, body: object, isAllowed: boolean) {
    const { body: answered, status, text } = await this.#place.call(method, path, body)
    if (isAllowed) expect(status, text).toBe(200)
    else expect([status, answered.code]).toEqual([400, "INVALID_STATE"])
  }

  async patch({ id, startsAt, status }: SeenDispatch) {
    const isAhead = status === "draft" || (status === "scheduled" && startsAt.getTime() > this.now)
    const body = this.#random.pick([{ priority: this.#random.below(3) }, { intervals: this.#intervals() }])
    await this.#attempt("PATCH", `/v1/dispatches/${id}`, body, isAhead)
  }

  /** Announces a draft again with intervals that are ahead; a scheduled one never becomes a draft. */
  async announce({ id, startsAt, status }: SeenDispatch) {
    if (status === "draft") {
      await this.#attempt("PATCH", `/v1/dispatches/${id}`, { status: "scheduled", intervals: this.#intervals() }, true)
    } else if (status === "scheduled" && startsAt.getTime() > this.now) {
      await this.#attempt("PATCH", `/v1/dispatches/${id}`, { status: "draft" }, false)
    }
  }

  cancel({ id, status }: SeenDispatch) {
    const isOpen = status === "draft" || status === "scheduled" || status === "running"
    return this.#attempt("POST", `/v1/dispatches/${id}/cancel`, {}, isOpen)
  }

  async optOut({ id, status, voluntary }: SeenDispatch, { siteId }: WorldHome) {
    const site = this.#sites.get(`${id} ${siteId}`)
    const path = `/v1/dispatches/${id}/participants/${siteId}/opt-out`
    if (site === undefined) return void expect((await this.#place.call("POST", path)).status).toBe(404)
    const isOpen = status !== "completed" && status !== "cancelled"
    await this.#attempt("POST", path, {}, site.state === "opted_out" || (isOpen && voluntary))
  }

  /** A user takes a device over for a while. */
  async command({ id }: { readonly id: string }) {
    const body = {
      type: "battery:set-operating-mode",
      input: { operatingMode: this.#random.pick(["charge", "idle"]) },
      revertAfter: this.#random.pick([60, 300])
    }
    const response = await this.#place.call("POST", `/v1/devices/${id}/commands`, body)
    expect(response.status, response.text).toBe(201)
  }

  /** The runner of dispatches does what is due. At the same time there is nothing to do a second time. */
  async run() {
    const all = Effect.flatMap(DispatchRunner, ({ recordOutcomes, runDue }) => Effect.andThen(recordOutcomes, runDue))
    await this.#run(all)
    const before = await this.#issued()
    await this.#run(all)
    expect(await this.#issued()).toBe(before)
    await this.look()
    // A device that was put off after a failure is not held yet.
    expect(await this.#app.sql((sql) => sql`SELECT work, item, error FROM failing_work`)).toEqual([])
    expectOneHolder(await this.#places(), this.now)
  }

  /** The process dies while the runner works. */
  async die() {
    const milliseconds = this.#random.below(40)
    await this.#run(
      Effect.flatMap(DispatchRunner, ({ runDue }) =>
        Effect.raceFirst(Effect.asVoid(runDue), Effect.sleep(milliseconds))
      )
    )
  }

  /** A worker of commands takes what is due. It ends or dies with each device. */
  async work() {
    // Pauses that a manufacturer asks for are kept by the database's clock.
    await this.#app.sql((sql) => sql`DELETE FROM manufacturer_pauses RETURNING 1`)
    await this.#run(Effect.flatMap(CommandRunner, ({ step }) => step))
    await eventually("the workers end", async () => {
      const claimed = await this.#app.sql<{ readonly id: string }>(
        (sql) => sql`SELECT device_id AS id FROM device_work
          WHERE lease_until > clock_timestamp() AND device_id = ANY(${this.devices.map(({ id }) => id)}::text[])`
      )
      return claimed.every(({ id }) => this.devices.find((one) => one.id === id)!.battery.isOrphaned) ? true : undefined
    })
    await this.expectNoneLeftOut()
  }

  /** The leases of dead workers end. */
  async expireLeases() {
    await this.#app.sql(
      (sql) => sql`UPDATE device_work SET lease_until = least(lease_until, clock_timestamp()), avoided_by = NULL
        WHERE device_id = ANY(${this.devices.map(({ id }) => id)}::text[]) RETURNING 1`
    )
    for (const { battery } of this.devices) battery.isOrphaned = false
  }

  async timeOut() {
    await this.#run(Effect.flatMap(CommandOutcomes, (outcomes) => outcomes.timeOut))
  }

  /** No command of a dispatch was sent to a device of a site that had opted out of it or was held out. */
  async expectNoneLeftOut() {
    const ids = this.#scripted.sent.slice(this.#sent).map(({ id }) => id)
    this.#sent = this.#scripted.sent.length
    const sent = await this.#app.sql<SentCommand>(
      (sql) => sql`SELECT c.id, d.site_id AS "siteId", c.source_id AS "dispatchId"
        FROM commands c JOIN devices d ON d.id = c.device_id
        WHERE c.id = ANY(${ids}::text[]) AND c.source = 'dispatch'`
    )
    for (const { dispatchId, id, siteId } of sent) {
      const site = this.#sites.get(`${dispatchId} ${siteId}`)
      expect(site, id).toBeDefined()
      // A call that was under way when its worker died is repeated with the same token.
      const calls = this.#scripted.sent.filter((one) => one.id === id).length
      if (calls === 1) expect([site!.state === "opted_out", site!.heldOut], id).toEqual([false, false])
    }
  }

  async #issued() {
    const [row] = await this.#app.sql<{ readonly n: number }>(
      (sql) => sql`SELECT count(*)::int AS n FROM commands WHERE workspace_id = ${this.#place.workspaceId}`
    )
    return row!.n
  }

  #places() {
    return this.#app.sql<SeenPlace>(
      (
        sql
      ) => sql`SELECT v.dispatch_id AS "dispatchId", v.device_id AS "deviceId", v.phase, v.due_at AS "dueAt", d.status,
          d.priority, d.intervals, s.state AS "siteState", s.starts_at AS "siteStartsAt"
        FROM dispatch_devices v JOIN dispatches d ON d.id = v.dispatch_id
          JOIN dispatch_sites s ON s.dispatch_id = v.dispatch_id AND s.site_id = v.site_id
        WHERE d.workspace_id = ${this.#place.workspaceId} ORDER BY 1, 2`
    )
  }

  /** Reads everything, and compares it with the rules and with the last look. */
  async look() {
    const dispatches = await this.#app.sql<SeenDispatch>(
      (sql) => sql`SELECT id, status, starts_at AS "startsAt", voluntary, due_at AS "dueAt" FROM dispatches
        WHERE workspace_id = ${this.#place.workspaceId} ORDER BY id`
    )
    const sites = await this.#app.sql<SeenSite>(
      (sql) => sql`SELECT s.dispatch_id AS "dispatchId", s.site_id AS "siteId", s.state, s.held_out AS "heldOut"
        FROM dispatch_sites s JOIN dispatches d ON d.id = s.dispatch_id
        WHERE d.workspace_id = ${this.#place.workspaceId} ORDER BY 1, 2`
    )
    expectLegal(this.#dispatches, dispatches, this.#sites, sites)
    this.#dispatches = new Map(dispatches.map((one) => [one.id, one]))
    this.#sites = new Map(sites.map((one) => [`${one.dispatchId} ${one.siteId}`, one]))
  }

  /** The time of the next thing to do; undefined when there is none. */
  async next() {
    const ids = this.devices.map(({ id }) => id)
    const [row] = await this.#app.sql<{ readonly at: Date | null }>(
      (sql) => sql`SELECT least(
        (SELECT min(due_at) FROM dispatches WHERE workspace_id = ${this.#place.workspaceId}),
        (SELECT min(due_at) FROM dispatch_devices WHERE device_id = ANY(${ids}::text[])),
        (SELECT min(due_at) FROM device_work WHERE device_id = ANY(${ids}::text[]) AND due_at < 'infinity'),
        (SELECT min(deadline) FROM commands WHERE device_id = ANY(${ids}::text[])
          AND status IN ('pending', 'scheduled', 'delivered'))) AS at`
    )
    return row!.at?.getTime()
  }

  /** The devices on which a forced mode has not ended. */
  async forced() {
    return this.#app.sql(
      (sql) => sql`SELECT device_id FROM forced_modes
        WHERE phase <> 'ended' AND device_id = ANY(${this.devices.map(({ id }) => id)}::text[])`
    )
  }
}
