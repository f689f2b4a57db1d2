import { createHash, randomBytes } from "node:crypto"
import { credentialsPurpose } from "@edp/server/accounts/accountRow"
import { beginHome, beginning } from "@edp/adapter-simulator/cloud/Accounts"
import { testHome } from "@edp/adapter-simulator/cloud/testHomes"
import type { SimulatedType } from "@edp/domain/accounts/Simulator"
import { readDevices } from "@edp/adapter-simulator/physics/devices"
import { NONCE_BYTES, seal } from "@edp/server/platform/secrets/sealed"
import { Client } from "pg"

/** The devices of each home. */
const types: ReadonlyArray<SimulatedType> = ["inverter", "battery", "meter", "thermostat", "vehicle"]
const PER_STATEMENT = 200

const id = (kind: string, number: number) => `c${kind}${`${number}`.padStart(23, "0")}`
const sha256 = (text: string) => createHash("sha256").update(text).digest("base64url")
const secret = () => randomBytes(32).toString("base64url")

/** A home at the simulated manufacturer, the account with which it is linked, and its devices. */
const makeAccount = (number: number, encryptionKey: Uint8Array) => {
  const [accountId, externalId, now] = [id("a", number), `bench-${number}`, Date.now()]
  const site = beginHome(testHome(externalId, number, beginning(now), types, true))
  const grantId = `${externalId}.${randomBytes(12).toString("base64url")}`
  const [accessToken, refreshToken] = [`sim_access.${grantId}.${secret()}`, `sim_refresh.${grantId}.${secret()}`]
  const expiresAt = now + 3_600_000
  const credentials = JSON.stringify({ accessToken, refreshToken, scope: null, expiresAt })
  return {
    accountId,
    externalId,
    sealed: Buffer.from(
      seal(encryptionKey, randomBytes(NONCE_BYTES), credentialsPurpose(accountId), credentials)
    ).toString("hex"),
    records: [
      { key: `account/${externalId}`, value: { name: externalId, clock: null, faults: [], sites: [site], given: [] } },
      {
        key: `grant/${grantId}`,
        value: {
          accountId: externalId,
          issuedAt: now,
          accessHash: sha256(accessToken),
          accessExpiresAt: expiresAt,
          refreshHash: sha256(refreshToken),
          usedRefreshHashes: [],
          revokedAt: null
        }
      }
    ],
    devices: readDevices(site.profile, site.state, null).map(({ identity, staticState, type }, index) => ({
      id: id("d", number * 10 + index),
      accountId,
      manufacturerDeviceId: identity.id,
      type,
      staticState
    }))
  }
}

/** Links accounts of the simulator, five devices each. Their first readings are spread over a minute. */
export const seedAccounts = async (
  databaseUrl: string,
  {
    accounts,
    encryptionKey,
    workspaceId
  }: { readonly accounts: number; readonly encryptionKey: Uint8Array; readonly workspaceId: string }
): Promise<void> => {
  const database = new Client({ connectionString: databaseUrl })
  await database.connect()
  try {
    for (let from = 0; from < accounts; from += PER_STATEMENT) {
      const made = Array.from({ length: Math.min(PER_STATEMENT, accounts - from) }, (_, n) =>
        makeAccount(from + n, encryptionKey)
      )
      await database.query(
        `INSERT INTO adapter_records (adapter, key, version, value, updated_at)
          SELECT 'simulator', key, 1, value, now() FROM jsonb_to_recordset($1) AS given (key text, value jsonb)`,
        [JSON.stringify(made.flatMap(({ records }) => records))]
      )
      await database.query(
        `INSERT INTO accounts (id, workspace_id, manufacturer, external_id, name, reference_id, tags, status,
            sealed_credentials, expires_at, refresh_at, connected_at, created_at, updated_at)
          SELECT "accountId", $2, 'simulator', "externalId", "externalId", "externalId", '{}', 'connected',
            decode(sealed, 'hex'), now() + interval '1 hour', now() + random() * interval '10 minutes', now(), now(), now()
          FROM jsonb_to_recordset($1) AS given ("accountId" text, "externalId" text, sealed text)`,
        [JSON.stringify(made), workspaceId]
      )
      await database.query(
        `INSERT INTO devices (id, workspace_id, origin_workspace_id, account_id, name, manufacturer,
            manufacturer_device_id, reference_id, model, type, static_state, commands, tags, direct, connected_at,
            created_at, updated_at)
          SELECT id, $2, $2, "accountId", type, 'simulator', "manufacturerDeviceId", "accountId", type, type,
            "staticState", '{}', '{}', false, now(), now(), now()
          FROM jsonb_to_recordset($1) AS given (id text, "accountId" text, "manufacturerDeviceId" text, type text,
            "staticState" jsonb)`,
        [JSON.stringify(made.flatMap(({ devices }) => devices)), workspaceId]
      )
    }
    await database.query(
      `INSERT INTO account_work (account_id, manufacturer, due_at, discover_at)
        SELECT id, manufacturer, now() + random() * interval '1 minute', now() + random() * interval '1 hour' FROM accounts`
    )
  } finally {
    await database.end()
  }
}
