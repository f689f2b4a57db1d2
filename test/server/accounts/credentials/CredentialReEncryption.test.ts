import { randomBytes } from "node:crypto"
import { SecretBox } from "@edp/server/platform/secrets/SecretBox"
import { CredentialReEncryption } from "@edp/server/accounts/credentials/CredentialReEncryption"
import { credentialsPurpose } from "@edp/server/accounts/accountRow"
import { EncryptionKeys } from "@edp/server/platform/secrets/EncryptionKeys"
import { open } from "@edp/server/platform/secrets/sealed"
import { Effect, Layer, Option, Redacted } from "effect"
import { expect, test } from "vitest"
import { sharedEncryptionKey } from "../../../support/spawnServer.ts"
import { scriptedAdapter } from "../../../support/scriptedAdapter.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeAccounts } from "../arrangeAccounts.ts"

const scripted = scriptedAdapter()
const app = useTestApp({
  own: true,
  adapters: [scripted.adapter],
  env: { EDP_ENCRYPTION_KEY: sharedEncryptionKey }
})

test("credentials of all accounts are moved to a new encryption key, once", async () => {
  const { account, link } = await arrangeAccounts(app, scripted)
  const { id } = await link()
  const [previous, current] = [Buffer.from(sharedEncryptionKey, "base64"), randomBytes(32)]
  const keys = Layer.succeed(EncryptionKeys, {
    current: Redacted.make<Uint8Array>(current),
    previous: Option.some(Redacted.make<Uint8Array>(previous))
  })
  const run = () =>
    app.run(Effect.provide(CredentialReEncryption, Layer.fresh(SecretBox.layer.pipe(Layer.provide(keys)))))
  expect(await run()).toBe(1)
  expect(await run()).toBe(0)
  const { sealed_credentials: sealed } = await account(id)
  expect(JSON.parse(open(current, credentialsPurpose(id), sealed))).toMatchObject({ token: "secret-token" })
  expect(() => open(current, credentialsPurpose("another"), sealed)).toThrow()
})
