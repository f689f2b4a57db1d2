import { Ids } from "@edp/server/platform/Ids"
import { Effect } from "effect"
import type { TestApp } from "./TestApp.ts"

let street = 0

/** An address in Sacramento, different on every call. */
export const someAddress = () => ({
  streetOne: `${++street} Capitol Mall`,
  city: "Sacramento",
  state: "CA",
  postalCode: "95814"
})

/** Creates a site in the key's workspace and returns the service's response. */
export const seedSite = async (app: TestApp, key: string, fields: object = {}): Promise<any> => {
  const response = await app.call("POST", "/v1/sites", { key, body: { address: someAddress(), ...fields } })
  if (response.status !== 201) throw new Error(`no site: ${response.text}`)
  return response.body
}

export interface SeededDevice {
  readonly siteId?: string | null
  readonly referenceId?: string
  readonly name?: string
  readonly serialNumber?: string | null
}

/** Inserts an inverter of `generic` into the database, without the service. Returns its id. */
export const seedDevice = async (app: TestApp, workspaceId: string, fields: SeededDevice = {}): Promise<string> => {
  const id = await app.run(Effect.flatMap(Ids, (ids) => ids.next))
  await app.sql(
    (
      sql
    ) => sql`INSERT INTO manufacturers (slug, name, device_types, connectable, direct_integration, created_at, updated_at)
      VALUES ('generic', 'Generic', '{inverter}', false, true, now(), now()) ON CONFLICT DO NOTHING`
  )
  await app.sql(
    (sql) => sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, site_id, name, manufacturer,
        manufacturer_device_id, serial_number, reference_id, model, type, commands, tags, direct, created_at, updated_at)
      VALUES (${id}, ${workspaceId}, ${workspaceId}, ${fields.siteId ?? null}, ${fields.name ?? "Roof"}, 'generic',
        ${`INV-${id}`}, ${fields.serialNumber ?? null}, ${fields.referenceId ?? "user-1"}, 'Generic inverter', 'inverter',
        '{}', '{}', true, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')`
  )
  return id
}
