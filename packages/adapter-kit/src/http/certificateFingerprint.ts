import { Effect } from "effect"
import { AdapterError } from "../AdapterError.ts"
import type { FormField } from "../ManufacturerAdapter.ts"

/** The field for the fingerprint of a certificate that comes from no known authority; the form adds what it is for. */
export const fingerprintField = {
  name: "fingerprint",
  kind: "text",
  label: {
    en: "SHA-256 fingerprint of the certificate",
    es: "Huella SHA-256 del certificado",
    de: "SHA-256-Fingerabdruck des Zertifikats"
  },
  required: false
} satisfies FormField

const pattern = /^[0-9a-f]{2}(:?[0-9a-f]{2}){31}$/i

/** The fingerprint that a person entered, if any. */
export const readFingerprint = (entered: string | undefined): Effect.Effect<string | undefined, AdapterError> =>
  entered === undefined || pattern.test(entered)
    ? Effect.succeed(entered)
    : Effect.fail(
        AdapterError.of("misconfigured", "fingerprint must be a SHA-256 fingerprint: 32 bytes in hexadecimal")
      )
