import { Effect, type Option, Redacted } from "effect"
import { readSecret, secretFileFlag } from "../../kernel/secretFlag.ts"

const source = {
  flag: "passphrase-file",
  variable: "EDP_PASSPHRASE",
  noun: "passphrase",
  question: "Passphrase of the archive"
}

export const passphraseFile = secretFileFlag(source)

/** The passphrase of an archive. */
export const readPassphrase = (file: Option.Option<string>) => Effect.map(readSecret(source, file), Redacted.value)
