import { randomBytes } from "node:crypto"
import { KEY_BYTES } from "@edp/server/platform/config/parsers"
import { keyFingerprint, NONCE_BYTES, open, seal, sealedWith } from "@edp/server/platform/secrets/sealed"
import { expect, test } from "vitest"

const [key, other] = [randomBytes(KEY_BYTES), randomBytes(KEY_BYTES)]
const sealed = seal(key, randomBytes(NONCE_BYTES), "destination secret c1", "whsec_Ünïcode")

test("a sealed secret opens with its purpose and its key", () => {
  expect(open(key, "destination secret c1", sealed)).toBe("whsec_Ünïcode")
})

test("it does not open with another purpose or another key", () => {
  expect(() => open(key, "destination secret c2", sealed)).toThrow()
  expect(() => open(other, "destination secret c1", sealed)).toThrow()
})

test("it does not open after a change of any byte, or truncated", () => {
  for (let at = 0; at < sealed.length; at++) {
    const changed = Uint8Array.from(sealed)
    changed[at]! ^= 1
    expect(() => open(key, "destination secret c1", changed)).toThrow()
    expect(() => open(key, "destination secret c1", sealed.subarray(0, at))).toThrow()
  }
})

test("it identifies its key, and reveals nothing of the key or the secret", () => {
  expect(sealedWith(sealed)).toEqual(keyFingerprint(key))
  expect(keyFingerprint(other)).not.toEqual(keyFingerprint(key))
  const text = Buffer.from(sealed).toString("latin1")
  expect(text).not.toContain("whsec_")
  expect(text).not.toContain(key.toString("latin1").slice(0, 8))
})
