import { randomBytes } from "node:crypto"
import { credentialsPurpose } from "@edp/server/accounts/accountRow"
import { NONCE_BYTES, seal } from "@edp/server/platform/secrets/sealed"
import { callAt } from "./callAt.ts"
import { withClient } from "./failover/withClient.ts"
import type { startCommandCloud } from "./peers/CommandCloud.ts"
import { type Credentials, sharedEncryptionKey } from "./spawnServer.ts"

type CommandCloud = Awaited<ReturnType<typeof startCommandCloud>>

const newId = () => `c${randomBytes(12).toString("hex")}`

/** A connected battery of the manufacturer that records commands. */
const linkBattery = async (databaseUrl: string, workspaceId: string, cloud: CommandCloud) => {
  const [accountId, deviceId, name] = [newId(), newId(), newId()]
  const key = Buffer.from(sharedEncryptionKey, "base64")
  const sealed = Buffer.from(seal(key, randomBytes(NONCE_BYTES), credentialsPurpose(accountId), "{}"))
  await withClient(databaseUrl, {
    text: `WITH account AS (
      INSERT INTO accounts (id, workspace_id, manufacturer, external_id, name, reference_id, tags, status, sealed_credentials, created_at, updated_at)
      VALUES ($1, $2, 'commandcloud', $3, 'Account', 'user-1', '{}', 'connected', $4, now(), now()))
    INSERT INTO devices (id, workspace_id, origin_workspace_id, account_id, name, manufacturer, manufacturer_device_id, reference_id, model, type,
      commands, tags, direct, connected_at, created_at, updated_at)
    VALUES ($5, $2, $2, $1, 'Battery', 'commandcloud', $3, 'user-1', 'Battery', 'battery', '{battery:set-reserve}', '{}', false, now(), now(), now())`,
    values: [accountId, workspaceId, name, sealed, deviceId]
  })
  cloud.settings.set(name, { mode: "self-consumption", power: "5000" })
  return deviceId
}

const batteries = 10

/** Creates what a `RecordingLoad` writes to: inverters that are pushed, batteries that are commanded, and before them a webhook. */
export const arrangeLoad = async (
  baseUrl: string,
  { manufacturerKey, serverKey, workspaceId }: Credentials,
  databaseUrl: string,
  cloud: CommandCloud,
  {
    inverters,
    ...webhook
  }: { readonly inverters: number; readonly url: string; readonly eventTypes: ReadonlyArray<string> }
) => {
  const create = async (path: string, key: string, body: object) => {
    const response = await callAt(baseUrl, "POST", path, { key, body })
    if (response.status !== 201) throw new Error(`${path} responded with ${response.status}: ${response.text}`)
    return response.body.id as string
  }
  await create("/v1/destinations", serverKey, { destinationType: "WEBHOOK", ...webhook })
  const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
  const siteId = await create("/v1/sites", serverKey, { address })
  const models = await callAt(baseUrl, "GET", "/v1/device-models?manufacturer=generic&type=inverter", {
    key: serverKey
  })
  const deviceModelId = models.body.data[0].id
  const deviceIds: Array<string> = []
  for (let n = 0; n < inverters; n++) {
    const body = { manufacturerDeviceId: `inverter ${n}`, deviceModelId, siteId }
    deviceIds.push(await create("/devices", manufacturerKey, body))
  }
  const linking = Array.from({ length: batteries }, () => linkBattery(databaseUrl, workspaceId, cloud))
  return { deviceIds, batteryIds: await Promise.all(linking) }
}
