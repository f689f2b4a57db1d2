import { Ids } from "@edp/server/platform/Ids"
import { Effect } from "effect"
import { someAddress } from "../../support/Seed.ts"
import type { TestApp } from "../../support/TestApp.ts"
import { hostileTexts } from "./someCriteria.ts"

const pick = <A>(values: ReadonlyArray<A>, index: number): A => values[index % values.length]!

const tagSets = [[], ["A"], ["a", "south"], ["%"], ["south", "'; DROP TABLE devices; --"], ["battery", "Ünïcödé 😀"]]
const states: ReadonlyArray<object | undefined> = [
  undefined,
  {},
  { power: 5, mode: "A" },
  { power: 5.5, mode: "5", "it's": true },
  { power: "5", mode: 5 },
  { power: -1, mode: false, "it's": "a'b" },
  { power: 1e300, mode: "south" },
  { power: 0.1, mode: "x".repeat(1000) }
]
const staticStates: ReadonlyArray<object | null> = [
  null,
  {},
  { capacity: 5, list: ["A", 5, true], inside: { value: "A" } },
  { capacity: null, list: [], inside: ["A", "CA"] },
  { capacity: 9007199254740992, list: [[5], { a: 5 }], inside: { value: { deeper: 1 }, 0: "A" } },
  { capacity: -1e-300, list: "south", "%": "%" },
  { capacity: "5", inside: "CA" },
  { inside: { 'it\'s a "%"': { x: "a'b" }, value: { deeper: "A" } } },
  { inside: { 'it\'s a "%"': { x: 5 }, value: { deeper: [5, true, "%"] } } },
  { inside: { 'it\'s a "%"': { x: ["a'b", -1] }, value: { deeper: 5.5 } } }
]
const stamps = [
  "2025-12-31T23:59:59.999999Z",
  "2026-01-01T00:00:00.123456Z",
  "2026-01-01T00:00:00Z",
  "2026-02-03T04:05:06Z"
]
const names = [...hostileTexts.map((text) => text.slice(0, 200)), "A", "a", "Aa", "battery"]

const must = (response: { readonly status: number; readonly text: string; readonly body: any }) => {
  if (response.status < 300) return response.body
  throw new Error(response.text)
}

/** Sites, customers and devices of a workspace that differ in whatever criteria ask for. */
export const seedRecords = async (app: TestApp, workspaceId: string, key: string) => {
  const create = async (path: string, body: object) => must(await app.call("POST", path, { key, body }))
  const sites: Array<string> = []
  for (let index = 0; index < 14; index++) {
    const streetTwo = pick([undefined, "A", "%", "south"], index)
    const site = await create("/v1/sites", {
      address: { ...someAddress(), ...(streetTwo && { streetTwo }), ...(index % 3 === 0 && { state: "California" }) },
      name: pick([null, ...names.filter((name) => name !== "")], index),
      referenceId: pick([null, "A", "a'b", "5"], index),
      tags: pick(tagSets, index)
    })
    sites.push(site.id)
  }
  for (let index = 0; index < 12; index++) {
    const { id } = await create("/v1/customers", {
      referenceId: index % 4 === 0 ? null : `${pick(["A", "%", "x"], index)}${index}`,
      lastName: pick([null, "A", "a", "O'Neil", "%", "Ünïcödé 😀"], index),
      email: pick([null, "a@example.com", "A@example.com"], index),
      siteIds: sites.slice(0, index % 4)
    })
    await app.sql((sql) => sql`UPDATE customers SET created_at = ${pick(stamps, index)}::timestamptz WHERE id = ${id}`)
  }
  for (let index = 0; index < 70; index++) await seedOne(app, workspaceId, sites, index)
}

const seedOne = async (app: TestApp, workspaceId: string, sites: ReadonlyArray<string>, index: number) => {
  const [id, reading] = await app.run(Effect.flatMap(Ids, (ids) => Effect.all([ids.next, ids.next] as const)))
  const manufacturer = pick(["generic", "simulator"], index)
  const staticState = pick(staticStates, index)
  await app.sql(
    (sql) => sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, site_id, name, manufacturer,
        manufacturer_device_id, reference_id, model, type, static_state, commands, tags, direct, created_at, updated_at)
      VALUES (${id}, ${workspaceId}, ${workspaceId}, ${index % 3 === 0 ? null : pick(sites, index % 20)}, ${pick(names, index)},
        ${manufacturer}, ${id}, ${pick(["A", "a'b", "5", "%"], index)}, ${pick(["A", "battery"], index)},
        ${pick(["other", "unknown"], index)}, ${staticState === null ? null : JSON.stringify(staticState)}::jsonb, '{}',
        ${pick(tagSets, index)}::text[], true, ${pick(stamps, index)}::timestamptz, now())`
  )
  const state = pick(states, index)
  if (state === undefined) return
  const age = pick(["1 minute", "5 hours", "400 days"], index)
  await app.sql(
    (sql) => sql`INSERT INTO device_states (device_id, reading_id, at, first_at, state, reported_status)
      VALUES (${id}, ${reading}, now() - ${age}::interval, now(), ${JSON.stringify(state)}::jsonb,
        ${index % 7 === 0 ? "asleep" : null})`
  )
}
