import { randomBytes, scryptSync } from "node:crypto"
import { KEY_BYTES } from "../platform/config/parsers.ts"
import { NONCE_BYTES, open, seal } from "../platform/secrets/sealed.ts"

/** The cost of scrypt: 32 MiB and some tenth of a second. */
const cost = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }

/** The key of an archive. */
export interface ArchiveKey {
  readonly seal: (purpose: string, secret: string) => Uint8Array
  /** Throws if it was sealed with another key or for another purpose. */
  readonly open: (purpose: string, sealed: Uint8Array) => string
}

export const newSalt = (): Uint8Array => randomBytes(16)

export const deriveKey = (passphrase: string, salt: Uint8Array): ArchiveKey => {
  const key = scryptSync(passphrase.normalize("NFC"), salt, KEY_BYTES, cost)
  return {
    seal: (purpose, secret) => seal(key, randomBytes(NONCE_BYTES), purpose, secret),
    open: (purpose, sealed) => open(key, purpose, sealed)
  }
}

const proofPurpose = (exportId: string) => `workspace archive ${exportId}`

/** Sealed with the key into the head of the archive. */
export const makeProof = (key: ArchiveKey, exportId: string) =>
  Buffer.from(key.seal(proofPurpose(exportId), exportId)).toString("base64")

/** Whether the passphrase is the one of the archive. */
export const fits = (key: ArchiveKey, exportId: string, proof: string): boolean => {
  try {
    return key.open(proofPurpose(exportId), Buffer.from(proof, "base64")) === exportId
  } catch {
    return false
  }
}

type Purposes = Readonly<Record<string, (id: string) => string>>

/** A row as JSON whose sealed columns are opened and sealed again. PostgreSQL writes bytes as `\x` and hexadecimal digits. */
export const reseal = (
  line: string,
  sealed: Purposes,
  openOne: (purpose: string, bytes: Uint8Array) => string,
  sealOne: (purpose: string, secret: string) => Uint8Array
): string => {
  const row = JSON.parse(line) as Record<string, unknown> & { readonly id: string }
  for (const [column, purpose] of Object.entries(sealed)) {
    const value = row[column]
    if (typeof value !== "string") continue
    const secret = openOne(purpose(row.id), Buffer.from(value.slice(2), "hex"))
    row[column] = `\\x${Buffer.from(sealOne(purpose(row.id), secret)).toString("hex")}`
  }
  return JSON.stringify(row)
}
