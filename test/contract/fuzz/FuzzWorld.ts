import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import { deviceTypes } from "@edp/domain/devices/DeviceType"
import type { TestApp, TestWorkspace } from "../../support/TestApp.ts"
import {
  anHourAgo,
  chargingIntervals,
  must,
  laterTime,
  nightRule,
  nobodyResponds,
  seedGridObjects,
  stopCharging
} from "../world.ts"
import type { Random } from "../../support/Random.ts"

export const kinds = [
  "organizations",
  "workspaces",
  "api-keys",
  "device-models",
  "sites",
  "customers",
  "devices",
  "alerts",
  "collections",
  "connections",
  "events",
  "destinations",
  "commands",
  "batch-commands",
  "schedules",
  "programInstances",
  "dispatches",
  "enrollments",
  "saved-filters",
  "home-assistant-publications",
  "grid-connections",
  "grid-programs"
] as const

type Kind = (typeof kinds)[number] | "deliveries" | "taken-commands"

interface FuzzDevice {
  readonly id: string
  readonly type: string
}

const newest = 30

/**
 * A workspace with a device of each type, that grows with what requests make. Its initial records are never given to a
 * request that may end it, so that there is something to ask for until the end.
 */
export class FuzzWorld {
  private readonly lasting = new Map<Kind, Array<string>>()
  private readonly passing = new Map<Kind, Array<string>>()
  private readonly types = new Map<string, string>()
  private cursors: Array<string> = []
  /** The device whose commands its manufacturer has taken. */
  polledDevice = ""
  /** A dispatch that no other request changes, so that its site can opt out. */
  optOutDispatch = ""
  /** Enrollments that wait for a decision, of which each can be made once. */
  readonly submitted: Array<string> = []
  /** The slug of a program. */
  program = ""

  private readonly workspace: TestWorkspace

  private constructor(workspace: TestWorkspace) {
    this.workspace = workspace
    this.lasting.set("workspaces", [workspace.workspaceId]).set("organizations", [workspace.organizationId])
  }

  static async seed(app: TestApp): Promise<FuzzWorld> {
    const world = new FuzzWorld(await app.workspace())
    const { SERVER, MANUFACTURER, MANAGEMENT } = world.workspace.keys
    const create = async (path: string, key: string, body: object) =>
      must(await app.call("POST", path, { key, body }), 201)
    const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
    const site = await create("/v1/sites", SERVER, { address, name: "Fuzz", tags: ["fuzz"] })
    for (const type of deviceTypes) {
      const models = await app.call("GET", `/v1/device-models?manufacturer=generic&type=${type}`, { key: SERVER })
      const deviceModelId = must(models, 200).data[0].id
      const fields = { manufacturerDeviceId: `${type}-1`, referenceId: "user-1", tags: ["fuzz"] }
      const { id } = await create("/devices", MANUFACTURER, { deviceModelId, siteId: site.id, ...fields })
      world.types.set(id, type)
      world.keep("devices", id)
      world.keep("device-models", deviceModelId)
    }
    world.keep("sites", site.id)
    world.keep("customers", (await create("/v1/customers", SERVER, { firstName: "Fuzz", siteIds: [site.id] })).id)
    const byHand = { name: "Fuzz", collectionType: "DEVICE", criteria: {}, dynamic: false }
    world.keep("collections", (await create("/v1/collections", SERVER, byHand)).id)
    const alert = { siteId: site.id, title: "Fuzz", sourceSystem: "fuzz", severity: "INFO" }
    world.keep("alerts", (await create("/v1/alerts", SERVER, alert)).id)
    world.keep("connections", (await create("/v1/connections", SERVER, { referenceId: "user-1" })).id)
    const events = await app.call("GET", "/v1/events?perPage=3", { key: SERVER })
    for (const { id } of must(events, 200).data) world.keep("events", id)
    const webhook = { destinationType: "WEBHOOK", url: nobodyResponds, eventTypes: ["SITE_CREATED"] }
    const destination = await create("/v1/destinations", SERVER, webhook)
    world.keep("destinations", destination.id)
    const on = `/v1/destinations/${destination.id}`
    must(await app.call("POST", `${on}/replay`, { key: SERVER, body: { from: anHourAgo() } }), 200)
    for (const { id } of must(await app.call("GET", `${on}/deliveries`, { key: SERVER }), 200).data) {
      world.keep("deliveries", id)
    }
    const charger = [...world.types].find(([, type]) => type === "charger")![0]
    const send = async (path: string, body: object) =>
      must(await app.call("POST", path, { key: SERVER, body: { ...stopCharging, ...body } }), 201, 202).id
    world.polledDevice = charger
    const onCharger = `/v1/devices/${charger}/commands`
    world.keep("taken-commands", await send(onCharger, {}))
    must(await app.call("GET", `/devices/${charger}/commands`, { key: MANUFACTURER }), 200)
    world.keep("commands", await send(onCharger, { scheduledFor: laterTime(0) }))
    world.keep("batch-commands", await send("/v1/batch-commands", { tag: "fuzz", scheduledFor: laterTime(1) }))
    const rules = { name: "Fuzz", deviceType: "charger", target: { tag: "fuzz" }, rules: [nightRule] }
    world.keep("schedules", (await create("/v1/schedules", SERVER, rules)).id)
    const programSlug = `program-${world.workspace.workspaceId}`
    await create("/v1/programs", MANAGEMENT, { slug: programSlug, name: "Fuzz" })
    const texts = { title: "Fuzz", description: "", eligibilityCriteria: "", programTerms: "" }
    const instance = await create("/v1/programInstances", SERVER, { slug: "fuzz", programSlug, ...texts })
    world.keep("programInstances", instance.id)
    const enrolled = { identificationType: "customerId", customerId: world.first("customers") }
    const enrollment = await create(`/v1/programInstances/${instance.id}/enrollments`, SERVER, enrolled)
    world.keep("enrollments", enrollment.id)
    // Its dispatches then have a participant: the site of the customer.
    must(await app.call("POST", `/v1/enrollments/${enrollment.id}/approve`, { key: SERVER }), 200)
    const other = { ...enrolled, customerId: (await create("/v1/customers", SERVER, { firstName: "Fuzz" })).id }
    const path = `/v1/programInstances/${instance.id}/enrollments`
    const expendable = await create(path, SERVER, other)
    must(await app.call("POST", `/v1/enrollments/${expendable.id}/approve`, { key: SERVER }), 200)
    world.learn(path, 201, expendable, undefined)
    for (let count = 0; count < 8; count++) {
      const person = { ...enrolled, customerId: (await create("/v1/customers", SERVER, { firstName: "Fuzz" })).id }
      world.submitted.push((await create(path, SERVER, person)).id)
    }
    // Another program, which requests change.
    world.program = `other-${world.workspace.workspaceId}`
    await create("/v1/programs", MANAGEMENT, { slug: world.program, name: "Fuzz" })
    const dispatch = { name: "Fuzz", intervals: chargingIntervals(0) }
    const dispatchPath = `/v1/programInstances/${instance.id}/dispatches`
    world.keep("dispatches", (await create(dispatchPath, SERVER, dispatch)).id)
    world.optOutDispatch = (await create(dispatchPath, SERVER, dispatch)).id
    const filter = { name: "Fuzz", page: "devices", query: "type=battery" }
    world.keep("saved-filters", (await create("/dashboard/api/saved-filters", MANAGEMENT, filter)).id)
    const publication = await create("/v1/home-assistant-publications", SERVER, { host: "127.0.0.1", port: 9 })
    world.keep("home-assistant-publications", publication.id)
    const vtn = { name: "Fuzz", vtnUrl: nobodyResponds, venName: "ven", enabled: false }
    const grid = await create("/v1/grid-connections", SERVER, vtn)
    world.keep("grid-connections", grid.id)
    world.keep("grid-programs", await seedGridObjects(app, grid.id, world.workspace.workspaceId))
    world.keep("api-keys", (await create("/v1/api-keys", MANAGEMENT, { name: "Fuzz", type: "CONNECT" })).id)
    return world
  }

  key(type: ApiKeyType): string {
    return this.workspace.keys[type]
  }

  /** An id that exists or did; `expendable` ones are made by earlier requests. */
  id(kind: Kind, random: Random, expendable = false): string {
    const made = this.passing.get(kind) ?? []
    const ids = expendable ? made : [...(this.lasting.get(kind) ?? []), ...made]
    return ids.length === 0 ? "c0000000000000000000000000" : random.pick(ids)
  }

  /** The one that was there first, for requests that must meet again in the same place. */
  first(kind: Kind): string {
    return this.lasting.get(kind)![0]!
  }

  device(random: Random): FuzzDevice {
    const id = this.id("devices", random)
    return { id, type: this.findType(id) }
  }

  findType(deviceId: string): string {
    return this.types.get(deviceId) ?? "other"
  }

  cursor(random: Random): string {
    return this.cursors.length === 0 ? "none" : random.pick(this.cursors)
  }

  /** Remembers what a request made, and where a list went on. */
  learn(documentedPath: string, status: number, body: any, cursor: string | undefined) {
    if (cursor !== undefined) this.cursors = [...this.cursors.slice(1 - newest), cursor]
    if ((status !== 201 && status !== 202) || typeof body?.id !== "string") return
    // A path within a record ends with the name of its parts.
    const kind = documentedPath.replace(/^.*\//, "") as Kind
    this.passing.set(kind, [...(this.passing.get(kind) ?? []).slice(1 - newest), body.id])
    if (kind === "devices") this.types.set(body.id, body.type)
  }

  private keep(kind: Kind, id: string) {
    this.lasting.set(kind, [...(this.lasting.get(kind) ?? []), id])
  }
}
